// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.InboxConfigurationException;
import java.util.HashMap;
import java.util.Map;

/**
 * Maps a status to the outcome of an intent. FAILED and RETRY mean that the call was certainly not executed. A status
 * that a provider or a gateway may also return after executing the call means UNKNOWN.
 */
final class StatusRules {

    /** The outcome of an intent. */
    enum Meaning {
        SENT,
        FAILED,
        RETRY,
        UNKNOWN
    }

    private final Map<Integer, Meaning> chosen;

    private StatusRules(Map<Integer, Meaning> chosen) {
        this.chosen = Map.copyOf(chosen);
    }

    static StatusRules defaults() {
        return new StatusRules(Map.of());
    }

    /** Returns these rules with another meaning for some statuses. */
    StatusRules with(Meaning meaning, int... statuses) {
        Map<Integer, Meaning> more = new HashMap<>(chosen);
        for (int status : statuses) {
            if (status < 200 || status > 599) {
                throw new InboxConfigurationException("A response status must be from 200 to 599, was " + status);
            }
            Meaning before = more.put(status, meaning);
            if (before != null && before != meaning) {
                throw new InboxConfigurationException(
                        "Status " + status + " cannot mean both " + before + " and " + meaning);
            }
        }
        return new StatusRules(more);
    }

    /** @param saysWhen whether the response has a valid Retry-After */
    Meaning of(int status, boolean saysWhen) {
        Meaning own = chosen.get(status);
        return own != null ? own : defaultMeaning(status, saysWhen);
    }

    private static Meaning defaultMeaning(int status, boolean saysWhen) {
        return switch (status) {
            // Another token, another connection or a later time is required: refused before execution.
            case 401, 407, 421, 425, 429 -> Meaning.RETRY;
            // With Retry-After, a deliberate refusal. Without, possibly a gateway whose server died during the call.
            case 503 -> saysWhen ? Meaning.RETRY : Meaning.UNKNOWN;
            // 408 should mean an incomplete request, but gateways send it for slow servers. 499: client connection
            // lost.
            case 408, 499 -> Meaning.UNKNOWN;
            // Most often an earlier attempt with this key is still in progress and may succeed.
            case 409 -> Meaning.UNKNOWN;
            // Repeat elsewhere with the same method: not executed here. All other redirects may follow a success.
            case 307, 308 -> Meaning.FAILED;
            // The method or the protocol is not supported, so the call was not executed.
            case 501, 505 -> Meaning.FAILED;
            default -> {
                if (status >= 200 && status <= 299) {
                    yield Meaning.SENT;
                }
                yield status >= 400 && status <= 499 ? Meaning.FAILED : Meaning.UNKNOWN;
            }
        };
    }
}
