// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The origins that may be called. The called address is built from an allowed origin and the path of the call, so the
 * host always comes from the configuration and never from a message.
 *
 * @param home the origin of calls with a path only
 * @param allowed all origins, including the home
 */
record AllowedOrigins(Origin home, Set<Origin> allowed) {

    private static final String KEY = "{key}";
    private static final String UNRESERVED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

    /** An address that may be called. */
    record Address(Origin origin, URI uri) {}

    AllowedOrigins {
        allowed = Set.copyOf(allowed);
    }

    /** @throws RefusedCall when the address is invalid or its origin is not allowed */
    Address of(String url, String key) throws RefusedCall {
        String text = url.contains(KEY) ? url.replace(KEY, encoded(key)) : url;
        if (text.startsWith("/") && !text.startsWith("//")) {
            return at(home, Origin.read(home + text));
        }
        URI address = Origin.read(text);
        Origin origin = Origin.of(address);
        if (!allowed.contains(origin)) {
            throw new RefusedCall(origin + " is not an allowed origin of this sender; add it with HttpSender.allow");
        }
        return at(origin, address);
    }

    /** Resolves a redirect, which must stay on the same origin. */
    static Address redirected(Address from, String location) throws RefusedCall {
        URI target = from.uri().resolve(Origin.read(location));
        if (!Origin.of(target).equals(from.origin())) {
            throw new RefusedCall("it redirects to another origin");
        }
        return at(from.origin(), target);
    }

    private static Address at(Origin origin, URI address) throws RefusedCall {
        if (address.getRawFragment() != null) {
            throw new RefusedCall("the address has a fragment, which is never sent to a server");
        }
        String path = address.getRawPath() == null || address.getRawPath().isEmpty() ? "/" : address.getRawPath();
        String query = address.getRawQuery() == null ? "" : "?" + address.getRawQuery();
        return new Address(origin, Origin.read(origin + path + query));
    }

    /** Percent-encodes the key, so that it cannot end the path segment or query parameter that contains it. */
    private static String encoded(String key) {
        StringBuilder text = new StringBuilder(key.length());
        for (byte b : key.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (UNRESERVED.indexOf(c) >= 0) {
                text.append(c);
            } else {
                text.append('%').append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            }
        }
        return text.toString();
    }
}
