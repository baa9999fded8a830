// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Receipt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** With the catalogue of Citus, startup refuses layouts in which effects are doubled or messages are never handled. */
class CitusDbTest {

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.Kind.POSTGRESQL.open();
        database.run("create table effect (id varchar(100) not null, note varchar(100))");
        Inbox.on(database.dataSource()).createSchema().start().close();
        // The columns of Citus with the distributed tables; the catalogue lists one of its own tables, too.
        database.run(
                "set allow_system_table_mods = on",
                "create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod \"char\")",
                "reset allow_system_table_mods");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void inboxInOrdinaryTablesBesideCitusIsRefused() {
        assertThatThrownBy(() -> Inbox.on(database.dataSource()).start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Citus")
                .hasMessageContaining("a second time")
                .hasMessageContaining("docs/scale-out.md")
                .hasMessageContaining("acceptLoss()");
    }

    @Test
    void inboxInOrdinaryTablesBesideCitusCanBeAccepted() {
        try (Inbox inbox =
                Inbox.on(database.dataSource()).allowUnsafeDurability().start()) {
            assertThat(inbox.handle("billing", DatabaseTest.message("1"), DatabaseTest::effect)
                            .kind())
                    .isEqualTo(Receipt.Kind.COMPLETED);
        }
    }

    @Test
    void inboxInDistributedTablesIsRefusedWhateverIsAccepted() {
        database.run("insert into pg_catalog.pg_dist_partition values ('idembox_ledger', 'n')");

        assertThatThrownBy(() ->
                        Inbox.on(database.dataSource()).allowUnsafeDurability().start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("distributed by Citus")
                .hasMessageContaining("never handled")
                .hasMessageContaining("docs/scale-out.md");
    }
}
