// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Headers;
import io.idembox.policy.Limits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Where a message that is sent comes from: the headers that say so. Pure. */
public final class CausationHeaders {

    /** Names the message that was being handled. */
    public static final String CAUSATION = "causation-id";

    /** Names the message that everything began with, as far as is known. */
    public static final String CORRELATION = "correlation-id";

    private static final List<String> TRACE = List.of("traceparent", "tracestate");

    private CausationHeaders() {}

    /**
     * The trace goes on, and the cause is named, unless the message says something else itself. What does not fit is left out: who
     * sent the message that was handled must not decide whether its handler can send.
     */
    static Headers continued(Headers own, RecordedMessage cause, Limits limits) {
        Headers handled = cause.incoming().message().headers();
        String id = cause.main().id().id();
        Map<String, String> derived = new LinkedHashMap<>();
        derived.put(CAUSATION, id);
        derived.put(CORRELATION, handled.text(CORRELATION).orElse(id));
        for (String name : TRACE) {
            handled.text(name).or(() -> handled.text("ce_" + name)).ifPresent(value -> derived.put(name, value));
        }
        Headers all = own;
        for (Map.Entry<String, String> each : derived.entrySet()) {
            Headers more = all.with(each.getKey(), each.getValue());
            boolean fits = more.all().size() <= limits.headerCount() && more.size() <= limits.headerBytes();
            all = own.text(each.getKey()).isEmpty() && fits ? more : all;
        }
        return all;
    }
}
