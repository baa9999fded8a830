// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.LeaseStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Handlers that take longer than their lease are reported. */
class LeaseKeeperTest {

    private static final int CALLS = 300;

    private static LeaseStore unused() {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(), new Class<?>[] {LeaseStore.class}, (self, method, arguments) -> {
                    throw new AssertionError("Nothing is asked of the database: " + method.getName());
                });
    }

    /** What is logged while a worker makes some hundred calls. */
    private static String logged(Duration lease) {
        PrintStream before = System.err;
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        System.setErr(new PrintStream(heard, true, StandardCharsets.UTF_8));
        try {
            LeaseKeeper keeper = new LeaseKeeper("billing", unused(), lease, Duration.ofHours(1));
            UUID token = UUID.randomUUID();
            LeaseRenewal.Shift shift = keeper.begin(token);
            for (int call = 0; call < CALLS; call++) {
                shift.progress();
            }
            keeper.end(token);
        } finally {
            System.setErr(before);
        }
        return heard.toString(StandardCharsets.UTF_8);
    }

    @Test
    void callsThatTakeLongerThanTheLeaseAreWarnedAboutOnce() {
        String warning = "Consumer billing: one handler call in a hundred takes longer than";

        String logged = logged(Duration.ofNanos(1));

        assertThat(logged).contains(warning).contains("work.lease is PT0.000000001S");
        assertThat(logged.indexOf(warning)).as("only once").isEqualTo(logged.lastIndexOf(warning));
    }

    @Test
    void callsWithinTheLeaseAreNot() {
        assertThat(logged(Duration.ofHours(1))).isEmpty();
    }
}
