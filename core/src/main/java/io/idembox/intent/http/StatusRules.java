// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.InboxConfigurationException;
import java.util.HashMap;
import java.util.Map;

/**
 * What a status means for an intent. "Failed" and "retry" say that nothing was done, for certain; where a provider, or
 * somebody between it and us, may say the same after it was done, the status means "unknown".
 */
final class StatusRules {

    /** What became of the intent. */
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

    /** These rules with other ones for some statuses. */
    StatusRules with(Meaning meaning, int... statuses) {
        Map<Integer, Meaning> more = new HashMap<>(chosen);
        for (int status : statuses) {
            if (status < 200 || status > 599) {
                throw new InboxConfigurationException("The status of an answer is from 200 to 599, was " + status);
            }
            Meaning before = more.put(status, meaning);
            if (before != null && before != meaning) {
                throw new InboxConfigurationException(
                        "Status " + status + " cannot mean both " + before + " and " + meaning);
            }
        }
        return new StatusRules(more);
    }

    /** @param saysWhen whether the answer has a Retry-After that can be read */
    Meaning of(int status, boolean saysWhen) {
        Meaning own = chosen.get(status);
        return own != null ? own : usual(status, saysWhen);
    }

    private static Meaning usual(int status, boolean saysWhen) {
        return switch (status) {
            // Asked for another token, another connection, a later time: refused before anything was done.
            case 401, 407, 421, 425, 429 -> Meaning.RETRY;
            // Who names a time refused on purpose. Without one it may be a gateway whose server went away in mid-call.
            case 503 -> saysWhen ? Meaning.RETRY : Meaning.UNKNOWN;
            // Should mean an incomplete request; gateways say it when their server was slow. 499 is one that lost us.
            case 408, 499 -> Meaning.UNKNOWN;
            // Most often: an earlier try with this key is under way. It may yet be done.
            case 409 -> Meaning.UNKNOWN;
            // "Do it there", with the same method: so it was not done here. All other redirects may follow a success.
            case 307, 308 -> Meaning.FAILED;
            // Neither the method nor the protocol is known there, so nothing was done with it.
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
