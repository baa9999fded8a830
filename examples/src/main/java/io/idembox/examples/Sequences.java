// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.Sequence;
import io.idembox.policy.SequencePolicy;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Versions of an aggregate that arrive out of order: early ones come again later, old ones change nothing. */
public final class Sequences {

    private Sequences() {}

    public static void main(String[] args) throws SQLException {
        try (PostgresServer server = PostgresServer.start()) {
            run(server.dataSource()).forEach(System.out::println);
        }
    }

    static List<String> run(DataSource dataSource) throws SQLException {
        Sql.execute(dataSource, "create table stock (sku text primary key, level int)");
        ConsumerPolicy policy = ConsumerPolicy.defaults()
                .ordering(Ordering.HOLD)
                .sequence(SequencePolicy.by(Sequence.jsonField("/version")).startingAt(1));
        List<String> told = new ArrayList<>();

        try (Inbox inbox = Inbox.on(dataSource)
                .createSchema()
                .consumer("warehouse", policy.retry(policy.retry().by(RetryBy.REDELIVERY)))
                .start()) {
            for (int version : new int[] {1, 3, 2, 3, 1}) {
                Receipt receipt = inbox.handle(
                        "warehouse",
                        counted("tshirt", version),
                        ctx -> ctx.later(
                                "insert into stock values (?, ?) on conflict (sku) do update set level = excluded.level",
                                "tshirt",
                                version * 10));
                told.add("version " + version + ": " + receipt.kind());
            }
        }
        told.addAll(Sql.rows(dataSource, "select sku || ' ' || level from stock"));
        return told;
    }

    private static Message counted(String sku, int version) {
        return Message.of(sku + "-" + version, "StockCounted", "{\"version\":" + version + "}")
                .from("/stock")
                .keyed(sku);
    }
}
