// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.failover.Load.Tenant;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What appears while the commits are made that the database will forget: partitions, sources and a consumer that the other
 * server does not know. Afterwards tenants appear that have the same ids as those of the window.
 */
final class Window {

    private static final int PARTITIONS = 3;
    private static final Duration READING = Duration.ofSeconds(20);

    private final Stage stage;
    private final Options options;
    private final List<Tenant> tenants = new ArrayList<>();
    private int partitions = PARTITIONS;
    private int round;

    Window(Stage stage, Options options) {
        this.stage = stage;
        this.options = options;
        stage.createTopics(PARTITIONS, 1);
        tenants.addAll(List.of(tenant("first-a", 0, PARTITIONS), tenant("first-b", 0, PARTITIONS)));
    }

    private static Tenant tenant(String name, int from, int to) {
        return new Tenant("/" + name, IntStream.range(from, to).boxed().toList());
    }

    /** Messages of all tenants that there are. */
    void load(int messages) {
        stage.finish(stage.load().begin(List.copyOf(tenants), messages, Options.time(messages)));
    }

    /** Returns when the offsets of all groups are at the end, or after a while. */
    void open() throws SQLException {
        round++;
        int known = partitions;
        partitions += PARTITIONS;
        stage.topics().addPartitions(Reader.ORDERS, partitions);
        tenants.add(tenant("window-" + round, 0, known));
        tenants.add(tenant("added-" + round, known, partitions));
        stage.start(
                1,
                List.of(new Reader(
                        Reader.LATE.name() + "-" + round,
                        Reader.LATE.mode(),
                        Reader.LATE.protocol(),
                        Reader.LATE.topic())));
        load(options.of(1_500, 700));
        Wait.becomes(READING, stage::everythingIsRead);
        stage.report("new partitions, sources and a consumer; everything is read: " + stage.everythingIsRead());
    }

    /** Tenants whose ids were used in the window, by others, beside those that there are. */
    void reuseIds() {
        tenants.add(tenant("after-a-" + round, 0, PARTITIONS));
        tenants.add(tenant("after-b-" + round, 0, partitions));
        load(options.of(1_200, 500));
    }
}
