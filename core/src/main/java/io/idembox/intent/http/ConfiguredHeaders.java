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
 * The headers a sender is configured with. Their values are asked for at every call and kept nowhere. Most of them are for the
 * sender's home alone: a secret of one provider is none of another's business, even if both may be called.
 */
final class ConfiguredHeaders {

    private final Origin home;
    private final Map<String, Function<Intent<HttpCall>, String>> atHome;
    private final Map<String, Function<Intent<HttpCall>, String>> everywhere;

    /** A value that was not to be had; the call is made later. Has no stack trace. */
    static final class NotNow extends Exception {

        private static final long serialVersionUID = 1L;

        NotNow(String why) {
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
        this.atHome = new LinkedHashMap<>(atHome);
        this.everywhere = new LinkedHashMap<>(everywhere);
    }

    /** @throws InboxConfigurationException for a name that is none, or not for a sender to set */
    static String checked(String name) {
        if (!HeaderRules.isName(name) || HeaderRules.isReserved(name)) {
            throw new InboxConfigurationException(
                    "'" + name + "' is not a header that can be set: it is no name, or it belongs to the connection");
        }
        return name.toLowerCase(Locale.ROOT);
    }

    boolean has(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return atHome.containsKey(lower) || everywhere.containsKey(lower);
    }

    void addTo(HttpRequest.Builder request, Origin origin, Intent<HttpCall> intent) throws NotNow {
        add(everywhere, request, intent);
        if (origin.equals(home)) {
            add(atHome, request, intent);
        }
    }

    private static void add(
            Map<String, Function<Intent<HttpCall>, String>> values,
            HttpRequest.Builder request,
            Intent<HttpCall> intent)
            throws NotNow {
        for (Map.Entry<String, Function<Intent<HttpCall>, String>> header : values.entrySet()) {
            request.setHeader(header.getKey(), value(header.getKey(), header.getValue(), intent));
        }
    }

    private static String value(String name, Function<Intent<HttpCall>, String> source, Intent<HttpCall> intent)
            throws NotNow {
        @Nullable String value;
        try {
            value = source.apply(intent);
        } catch (RuntimeException broken) {
            throw new NotNow("the value of header " + name + " was not to be had ("
                    + broken.getClass().getSimpleName() + ")");
        }
        if (value == null || !HeaderRules.isValue(value)) {
            // A secret read from a file with its line end, for example. Why not failed: one repair makes all calls
            // good.
            throw new NotNow("the value of header " + name + " is missing, or not one line of ASCII");
        }
        return value;
    }
}
