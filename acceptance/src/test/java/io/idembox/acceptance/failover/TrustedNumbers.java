// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.testkit.jdbc.DelegatingDataSource;
import io.idembox.testkit.jdbc.JdbcProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Reverts the fix of F2. A new source or consumer gets the number after the highest one that the database has, so numbers go back
 * with the database. A transaction that records messages does not check that the database still has the numbers it uses, so a process
 * keeps those that it has in memory.
 */
final class TrustedNumbers extends DelegatingDataSource {

    /** The number is the second parameter: a hash of the name. */
    private static final Pattern INSERT_OF_NAME = Pattern.compile(
            "(idembox_(?:source \\(name, source_id|consumer \\(name, consumer_id, alias)\\)\\s+values \\(\\?, )\\?(\\)|, false\\))");

    private static final String WITH_NEXT_NUMBER = """
            $1(select 1 + coalesce(max(used.number), cast(? as int) * 0)
                 from (select consumer_id as number from idembox_consumer
                        union all
                       select source_id from idembox_source) used)$2""";

    /** How the check ends; it is the last statement of those that record. */
    private static final String CHECKED = " as known";

    private static final String NO_CHECK = """
            select 1 + cardinality(used.sources) as known
              from (values (cast(? as text), cast(? as int), cast(? as text[]), cast(? as int[])))
                as used(consumer, consumer_id, sources, source_ids)
            """;

    private static final String NO_CHECK_OF_ONE = """
            select 2 as known
              from (values (cast(? as text), cast(? as int), cast(? as text), cast(? as int)))
                as used(consumer, consumer_id, source, source_id)
            """;

    TrustedNumbers(DataSource real) {
        super(real);
    }

    @Override
    public Connection getConnection() throws SQLException {
        return trusting(real().getConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return trusting(real().getConnection(user, password));
    }

    private static Connection trusting(Connection connection) {
        return JdbcProxy.of(Connection.class, connection, (self, method, args) -> {
            if (method.getName().equals("prepareStatement")) {
                args[0] = reverted((String) args[0]);
            }
            return JdbcProxy.call(connection, method, args);
        });
    }

    private static String reverted(String sql) {
        if (sql.endsWith(CHECKED)) {
            int check = sql.lastIndexOf(';') + 1;
            return sql.substring(0, check) + (sql.indexOf("unnest(", check) < 0 ? NO_CHECK_OF_ONE : NO_CHECK);
        }
        return INSERT_OF_NAME.matcher(sql).replaceFirst(WITH_NEXT_NUMBER);
    }
}
