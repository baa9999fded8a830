// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.acceptance.programme.Sight;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** What the shop has, as it is seen by somebody who only looks. */
final class Scene extends Sight {

    /** What is said of intents, and which payment each is for: the message whose handler intended it. */
    private static final String INTENTS = """
            select p.message_id as payment, i.message_id as key, i.status, i.reason,
                   (select count(*) from idembox_attempt a where a.arrival = i.arrival and a.error_class = 'UNKNOWN') as unknown,
                   (select count(*) from idembox_attempt a where a.arrival = i.arrival and a.error_class = 'LeaseExpired')
                       as expired
              from idembox_inbox i
              join idembox_body b on b.arrival = i.arrival and b.revision = 0
              join idembox_inbox p on p.arrival = b.cause
             where i.consumer = '%s'
            """.formatted(PaymentWorker.CHARGES);

    Scene(DataSource dataSource) {
        super(dataSource);
    }

    /** It has no unique key: a second effect has to be seen, not refused. */
    void createPurchases() throws SQLException {
        run("create table purchase (id varchar(100) not null, process bigint not null)");
    }

    /** Only those under which somebody calls the provider. */
    @Override
    public List<String> leasesOf(long process) throws SQLException {
        return list("select cast(l.token as text) from idembox_lease l join idembox_consumer c using (consumer_id)"
                + " where c.name = '" + PaymentWorker.CHARGES + "' and l.node like '%/" + process + "/%'");
    }

    /** Charges that are done, or not tried any more. */
    int settled() throws SQLException {
        return Integer.parseInt(one("select count(*) from idembox_inbox where consumer = '" + PaymentWorker.CHARGES
                + "' and status not in ('RECEIVED', 'IN_PROGRESS', 'FAILED_RETRYABLE')"));
    }

    /** How often each one was bought. */
    Map<String, Integer> purchases() throws SQLException {
        Map<String, Integer> counts = new HashMap<>();
        forRows("select id from purchase", row -> counts.merge(row.getString(1), 1, Integer::sum));
        return counts;
    }

    /** Where messages stand that are not handled, by payment. */
    Map<String, String> unhandled() throws SQLException {
        Map<String, String> open = new HashMap<>();
        forRows(
                "select message_id, concat_ws(' ', status, reason) from idembox_inbox where consumer = '"
                        + PaymentWorker.SHOP + "' and status <> 'COMPLETED'",
                row -> open.put(row.getString(1), row.getString(2)));
        return open;
    }

    /** The intents, by payment. */
    Map<String, Ledger.Intended> intents() throws SQLException {
        Map<String, Ledger.Intended> intents = new HashMap<>();
        forRows(INTENTS, row -> {
            var intended = new Ledger.Intended(
                    row.getString("key"),
                    row.getString("status"),
                    row.getString("reason"),
                    row.getInt("unknown"),
                    row.getInt("expired"));
            if (intents.put(row.getString("payment"), intended) != null) {
                throw new IllegalStateException(row.getString("payment") + " has two intents");
            }
        });
        return intents;
    }
}
