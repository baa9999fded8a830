// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.KeyCase.intent;

import io.idembox.Inbox;
import io.idembox.Payload;
import io.idembox.intent.SendResult;
import java.util.List;

/** What is done about an intent when nobody knows whether it was done. */
final class IntentKeys {

    private IntentKeys() {}

    static List<KeyCase> all() {
        return List.of(
                intent("key-lifetime")
                        .besides("on-unknown", "retry-with-key")
                        .besides("retry.first-delay", "2h")
                        .besides("retry.max-delay", "2h")
                        .besides("retry.jitter", "0")
                        .said("1h", "PARKED KEY_EXPIRED")
                        .said("3h", "FAILED_RETRYABLE UNKNOWN in 7200s")
                        .when(IntentKeys::inDoubt),
                intent("on-unknown")
                        .besides("key-lifetime", "3h")
                        .besides("retry.first-delay", "10s")
                        .besides("retry.jitter", "0")
                        .said("park", "PARKED UNKNOWN")
                        .said("retry-with-key", "FAILED_RETRYABLE UNKNOWN in 10s")
                        .when(IntentKeys::inDoubt));
    }

    private static String inDoubt(PolicyBench bench) {
        try (Inbox inbox = bench.open()) {
            inbox.subscribe(PolicyBench.CONSUMER)
                    .on(
                            "OrderPlaced",
                            Payload.class,
                            (payload, context) -> context.intend(PolicyBench.INTENT, "500 cents"))
                    .intent(PolicyBench.INTENT, String.class, charge -> SendResult.unknown("no answer"))
                    .handle(DatabaseTest.message("m1"));
            bench.awaitFailures(Place.INTENT.consumer(), 1);
        }
        return bench.unfinished(Place.INTENT.consumer());
    }
}
