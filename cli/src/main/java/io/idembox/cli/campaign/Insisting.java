// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

import io.idembox.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Makes a call again whose answer was lost. For calls with an operation, which change something once however often they are made.
 */
public final class Insisting {

    private static final Duration PAUSE = Duration.ofMillis(200);

    private Insisting() {}

    public static <T> T on(int times, Supplier<T> call) {
        int left = times;
        while (true) {
            try {
                return call.get();
            } catch (StoreUnavailableException lost) {
                if (--left <= 0) {
                    throw lost;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }
}
