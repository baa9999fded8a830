// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.idempotent.CompareAndSet;
import io.idembox.idempotent.UpsertByVersion;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Rows that show by themselves whether something has happened: late, doubled and purged messages do no harm. */
public final class NaturalIdempotency {

    private NaturalIdempotency() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException {
        Sql.execute(
                dataSource,
                "create table price (sku text primary key, version bigint, cents int)",
                "create table parcel (id text primary key, state text)",
                "create table label (id uuid primary key, parcel text)",
                "insert into parcel values ('p1', 'PACKED')");

        try (Inbox inbox = Inbox.on(dataSource).createSchema().start()) {
            // Newest wins: the event carries the whole state and its version.
            for (int version : List.of(2, 1, 3)) {
                inbox.handle("pricing", event("price-" + version), ctx -> {
                    boolean applied = UpsertByVersion.into("price")
                            .key("sku", "bolt")
                            .version("version", version)
                            .set("cents", 100 * version)
                            .applyIn(ctx.connection());
                    ctx.result("{\"applied\":" + applied + "}");
                });
            }

            // Only from this state to the next: a parcel leaves once, whichever scan reports it first.
            for (String carrier : List.of("scanned at the door", "scanned in the van")) {
                inbox.handle("shipping", event(carrier), ctx -> {
                    boolean left = CompareAndSet.in("parcel")
                            .key("id", "p1")
                            .expect("state", "PACKED")
                            .set("state", "ON_ITS_WAY")
                            .applyIn(ctx.connection());
                    if (left) {
                        // An id derived from the message: a second row for this message is impossible.
                        ctx.later(
                                "insert into label values (cast(? as uuid), 'p1') on conflict do nothing",
                                ctx.effectKey("label"));
                    }
                });
            }
        }
        return Sql.rows(dataSource, """
                select 'bolt costs ' || cents || ' since version ' || version from price
                union all select 'p1 is ' || state from parcel
                union all select 'labels: ' || count(*) from label
                """);
    }

    private static Message event(String id) {
        return Message.of(id, "Changed", "{}").from("/warehouse");
    }
}
