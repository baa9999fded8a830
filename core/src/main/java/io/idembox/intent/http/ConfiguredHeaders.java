// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.InboxConfigurationException;
import io.idembox.intent.Intent;
import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The configured headers of a sender. Their values are supplied for each call and never stored. Most of them are sent
 * to the sender's home only: a secret of one provider must not reach another allowed origin.
 */
final class ConfiguredHeaders {

    private final Origin home;
    private final Map<String, Function<Intent<HttpCall>, String>> homeHeaders;
    private final Map<String, Function<Intent<HttpCall>, String>> commonHeaders;

    /** Thrown when a header value is not available; the call is retried later. Has no stack trace. */
    static final class ValueUnavailable extends Exception {

        private static final long serialVersionUID = 1L;

        ValueUnavailable(String why) {
            super(why, null, false, false);
        }

        String why() {
            return String.valueOf(getMessage());
        }
    }

    ConfiguredHeaders(
            Origin home,
            Map<String, Function<Intent<HttpCall>, String>> atHome,
            Map<String, Function<Intent<HttpCall>, String>> everywhere) {
        this.home = home;
        this.homeHeaders = new LinkedHashMap<>(atHome);
        this.commonHeaders = new LinkedHashMap<>(everywhere);
    }

    /** @throws InboxConfigurationException for an invalid header name, or one that a sender must not set */
    static String checked(String name) {
        if (!HeaderRules.isName(name) || HeaderRules.isReserved(name)) {
            throw new InboxConfigurationException(
                    "Header '" + name + "' cannot be set: the name is invalid or belongs to the connection");
        }
        return name.toLowerCase(Locale.ROOT);
    }

    boolean has(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return homeHeaders.containsKey(lower) || commonHeaders.containsKey(lower);
    }

    void addTo(HttpRequest.Builder request, Origin origin, Intent<HttpCall> intent) throws ValueUnavailable {
        add(commonHeaders, request, intent);
        if (origin.equals(home)) {
            add(homeHeaders, request, intent);
        }
    }

    private static void add(
            Map<String, Function<Intent<HttpCall>, String>> values,
            HttpRequest.Builder request,
            Intent<HttpCall> intent)
            throws ValueUnavailable {
        for (Map.Entry<String, Function<Intent<HttpCall>, String>> header : values.entrySet()) {
            request.setHeader(header.getKey(), value(header.getKey(), header.getValue(), intent));
        }
    }

    private static String value(String name, Function<Intent<HttpCall>, String> source, Intent<HttpCall> intent)
            throws ValueUnavailable {
        @Nullable String value;
        try {
            value = source.apply(intent);
        } catch (RuntimeException broken) {
            throw new ValueUnavailable("the value of header " + name + " is not available ("
                    + broken.getClass().getSimpleName() + ")");
        }
        if (value == null || !HeaderRules.isValue(value)) {
            // For example a secret read from a file with its line end. A retry, not a failure: one fix repairs all
            // calls.
            throw new ValueUnavailable("the value of header " + name + " is missing or not one line of ASCII");
        }
        return value;
    }
}
