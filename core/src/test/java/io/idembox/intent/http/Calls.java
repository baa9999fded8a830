// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;

/** Intents for the tests. What is marked must never be told to anybody but the provider. */
final class Calls {

    static final String KEY = "billing-7f3a";
    static final String MARK = "zq9-canary";
    static final String BODY = "{\"account\":\"" + MARK + "\"}";

    private Calls() {}

    static Intent<HttpCall> charge() {
        return intent(HttpCall.post("/charges?customer=" + MARK, BODY));
    }

    static Intent<HttpCall> intent(HttpCall call) {
        return intent(call, KEY);
    }

    static Intent<HttpCall> intent(HttpCall call, String key) {
        return new Intent<>(
                "billing", "charge", key, call, Headers.none(), new MessageId("orders", "1"), AttemptHistory.none());
    }
}
