// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxSchema;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.SchemaMismatchException;
import io.idembox.StoreUnavailableException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import org.junit.jupiter.api.Test;

/** What a newcomer reads after a mistake: what happened, and what to do. */
class NewcomerDbTest extends DatabaseTest {

    @Test
    void noTables() {
        assertThatThrownBy(() ->
                        Inbox.on(database.dataSource()).tablePrefix("missing_").start())
                .isInstanceOf(SchemaMismatchException.class)
                .hasMessageContaining("Inbox tables not found in schema")
                .hasMessageContaining("missing_")
                .hasMessageContaining("createSchema()");
    }

    @Test
    void tablesOfAnotherVersion() {
        database.run("insert into idembox_schema (version) values (99)");

        assertThatThrownBy(() -> Inbox.on(database.dataSource()).start())
                .isInstanceOfSatisfying(SchemaMismatchException.class, mismatch -> {
                    assertThat(mismatch.found()).isEqualTo(99);
                    assertThat(mismatch.needed()).isEqualTo(1);
                })
                .hasMessageContaining("update it");
    }

    @Test
    void noId() {
        Message anonymous =
                Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 3, 8812));
        IdentityPolicy identity = ConsumerPolicy.defaults().identity();
        try (Overheard log = new Overheard();
                Inbox other = builder()
                        .consumer("derives", ConsumerPolicy.defaults().identity(identity.missing(MissingId.DERIVE)))
                        .consumer("parks", ConsumerPolicy.defaults().identity(identity.missing(MissingId.PARK)))
                        .start()) {
            other.handle("derives", anonymous, DatabaseTest::effect);
            assertThat(log.text())
                    .contains("orders/3@8812", "has no id; using topic/partition/offset")
                    .contains("This absorbs redelivery, not producer retries. Let the producer set an id.");

            Receipt parked = other.handle("parks", anonymous, DatabaseTest::effect);
            assertThat(parked.failure().orElseThrow().message())
                    .contains("orders/3@8812", "has no id, so nothing identifies it", "Let the producer set one");
        }
    }

    @Test
    void twoHandlersForOneType() {
        var billing = inbox.subscribe("billing").on("OrderPlaced", String.class, (order, context) -> {});

        assertThatThrownBy(() -> billing.on("OrderPlaced", String.class, (order, context) -> {}))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("two handlers for OrderPlaced")
                .hasMessageContaining("one handler per type and version");
    }

    @Test
    void twoConsumersWithOneName() {
        inbox.subscribe("billing");

        assertThatThrownBy(() -> inbox.subscribe("billing"))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("billing is already subscribed");
    }

    @Test
    void noHandler() {
        assertThatThrownBy(() -> inbox.subscribe("billing").handle(message("1")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("has no handler");
    }

    @Test
    void aClosedDataSource() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(database.dataSource());
        HikariDataSource closed = new HikariDataSource(config);
        closed.close();

        assertThatThrownBy(() -> Inbox.on(closed).start())
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("is the DataSource open and the server up?");
    }

    @Test
    void aClosedInbox() {
        inbox.close();

        assertThatThrownBy(() -> inbox.handle("billing", message("1"), context -> {}))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("is closed");
    }

    @Test
    void retryByInboxWithoutARegisteredHandler() {
        try (Inbox byInbox = builder()
                .consumer(
                        "billing",
                        ConsumerPolicy.defaults().retry(RetryPolicy.defaults().by(RetryBy.INBOX)))
                .start()) {
            assertThatThrownBy(() -> byInbox.handle("billing", message("1"), context -> {}))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("retry.by: inbox")
                    .hasMessageContaining("subscribe(\"billing\").on(...)");
        }
    }

    @Test
    void orderWithoutARegisteredHandler() {
        try (Inbox ordered = builder()
                .consumer("billing", ConsumerPolicy.defaults().ordering(Ordering.SKIP_PARKED))
                .start()) {
            assertThatThrownBy(() -> ordered.handle("billing", message("1"), context -> {}))
                    .isInstanceOf(InboxConfigurationException.class)
                    .hasMessageContaining("ordering: skip-parked")
                    .hasMessageContaining("subscribe(\"billing\").on(...)");
        }
    }

    @Test
    void theSchemaCanBePrintedAppliedByHandAndIsThenValid() {
        String script = InboxSchema.print(isPostgres() ? "postgresql" : "h2", "own_", 0);
        for (String statement : script.replaceAll("--[^\n]*", "").split(";", -1)) {
            if (!statement.isBlank()) {
                database.run(statement.strip());
            }
        }

        try (Inbox own = Inbox.on(database.dataSource()).tablePrefix("own_").start()) {
            own.handle("billing", message("1"), DatabaseTest::effect);
        }
        assertThat(database.count("own_ledger")).isEqualTo(1);
        assertThat(database.count("idembox_ledger")).isZero();
    }

    @Test
    void creatingTwiceChangesNothing() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);
        try (Inbox again = builder().start()) {
            assertThat(again.handle("billing", message("1"), DatabaseTest::effect)
                            .kind()
                            .name())
                    .isEqualTo("DUPLICATE");
        }
    }

    @Test
    void anUnknownDatabaseHasNoSchema() {
        assertThatThrownBy(() -> InboxSchema.print("oracle")).hasMessageContaining("postgresql and h2");
    }
}
