// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.util.List;
import java.util.stream.Stream;

/**
 * A statement of the product, whole, per database; {@code {prefix}} stands for schema and table prefix.
 *
 * <p>House rules: explicit columns; who changes what is claimed says where it has to be, and looks at the row count; time
 * is the given instant in tests and the database's own clock in production.
 */
interface SqlStatement {

    /** The text with its placeholder; empty where the database does not need the statement. */
    String text(Database database);

    String name();

    /** All there are. */
    static List<SqlStatement> all() {
        return Stream.<SqlStatement[]>of(
                        LedgerStatement.values(),
                        SettleStatement.values(),
                        LeaseStatement.values(),
                        KeyStatement.values(),
                        SequenceStatement.values(),
                        PartitionStatement.values(),
                        OutgoingStatement.values(),
                        RetentionStatement.values(),
                        AdminStatement.values(),
                        CampaignStatement.values(),
                        ReplayStatement.values(),
                        NameStatement.values())
                .flatMap(Stream::of)
                .toList();
    }
}
