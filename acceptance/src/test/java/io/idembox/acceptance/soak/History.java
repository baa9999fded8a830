// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one consumer left behind.
 *
 * @param effects by message, the places of its effects among all effects
 * @param rows by message, what the inbox says
 */
record History(String consumer, Map<String, List<Long>> effects, Map<String, Row> rows) {

    History(String consumer) {
        this(consumer, new HashMap<>(), new HashMap<>());
    }

    /** A message as the inbox shows it. */
    record Row(
            String status,
            @Nullable String reason,
            int crashes,
            @Nullable String error) {

        /** Whether it holds those behind it. */
        boolean holds() {
            return status.equals("FAILED_TERMINAL") || status.equals("PARKED");
        }
    }
}
