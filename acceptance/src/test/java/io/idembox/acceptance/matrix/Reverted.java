// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.policy.ConsumerPolicy;
import io.idembox.spi.Delivery;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.sql.DataSource;

/** Engines that answer as they did before a finding was fixed: what they are not allowed to run, they release. */
enum Reverted implements Case.Variant {
    /** A batch with a message that comes too early is released, together with everything else of its key. */
    C6 {
        @Override
        Set<String> releasedKeys(DataSource dataSource, String consumer, ConsumerPolicy policy, List<Delivery> batch) {
            Set<String> keys = new HashSet<>();
            for (Delivery delivery : batch) {
                long sequenceNumber = place(delivery);
                String key = delivery.message().key().orElse("");
                Long reached = number(
                        dataSource,
                        "select p.reached from idembox_sequence p join idembox_key k on k.key_id = p.key_id"
                                + " join idembox_consumer c on c.consumer_id = k.consumer_id where c.name = ? and k.name = ?",
                        consumer,
                        key);
                if (policy.sequence() != null && reached != null && sequenceNumber > reached + 1) {
                    keys.add(key);
                }
            }
            return keys;
        }
    },

    /** Behind a message that is parked or failed for good, everything of its key is released. */
    C9 {
        @Override
        Set<String> releasedKeys(DataSource dataSource, String consumer, ConsumerPolicy policy, List<Delivery> batch) {
            Set<String> keys = new HashSet<>();
            for (Delivery delivery : batch) {
                String key = delivery.message().key().orElse("");
                Long undecided = number(
                        dataSource,
                        "select e.arrival from idembox_entry e join idembox_key k on k.key_id = e.key_id"
                                + " join idembox_consumer c on c.consumer_id = k.consumer_id where c.name = ? and k.name = ?"
                                + " and e.state in ('PARKED', 'FAILED_TERMINAL') limit 1",
                        consumer,
                        key);
                if (undecided != null) {
                    keys.add(key);
                }
            }
            return keys;
        }
    };

    static Reverted named(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** The keys whose deliveries are released at once. */
    abstract Set<String> releasedKeys(
            DataSource dataSource, String consumer, ConsumerPolicy policy, List<Delivery> batch);

    @Override
    public Station station(DataSource dataSource, ManualClock clock, String consumer, ConsumerPolicy policy) {
        return new Station(dataSource, clock, consumer, policy) {
            @Override
            void receive(List<Delivery> deliveries) {
                Set<String> released = releasedKeys(dataSource, consumer, policy, deliveries);
                List<Delivery> rest = new ArrayList<>();
                for (Delivery delivery : deliveries) {
                    if (released.contains(delivery.message().key().orElse(""))) {
                        delivery.release(Duration.ZERO);
                    } else {
                        rest.add(delivery);
                    }
                }
                if (!rest.isEmpty()) {
                    super.receive(rest);
                }
            }
        };
    }

    private static long place(Delivery delivery) {
        return delivery.message().headers().text("place").map(Long::parseLong).orElse(0L);
    }

    private static Long number(DataSource dataSource, String sql, String consumer, String key) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, consumer);
            statement.setString(2, key);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? (Long) rows.getLong(1) : null;
            }
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }
}
