// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Notices whenever the claimer of a consumer looks for something to do: then it needs a connection. Thread-safe. */
final class Looks {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String claimer;
    private final List<Long> times = new ArrayList<>();

    Looks(String consumer) {
        this.claimer = "idembox-" + consumer + "-claimer-";
    }

    DataSource noticedOn(DataSource real) {
        return (DataSource) Proxy.newProxyInstance(
                Looks.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> {
                    if (method.getName().equals("getConnection")
                            && Thread.currentThread().getName().startsWith(claimer)) {
                        notice();
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private synchronized void notice() {
        times.add(System.nanoTime());
        notifyAll();
    }

    /** The pauses between the first looks. */
    synchronized List<Duration> pauses(int count) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (times.size() <= count) {
            if (System.nanoTime() > end) {
                throw new AssertionError("Only " + times.size() + " looks");
            }
            wait(PATIENCE.toMillis());
        }
        List<Duration> pauses = new ArrayList<>();
        for (int nth = 0; nth < count; nth++) {
            pauses.add(Duration.ofNanos(times.get(nth + 1) - times.get(nth)));
        }
        return pauses;
    }
}
