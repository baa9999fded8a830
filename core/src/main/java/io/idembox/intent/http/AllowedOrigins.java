// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * Where calls may go. The address that is called is put together from an allowed origin and the path of the call, so what
 * is connected to comes from the configuration and never from a message.
 *
 * @param home where paths lead
 * @param allowed all origins, the home among them
 */
record AllowedOrigins(Origin home, Set<Origin> allowed) {

    private static final String KEY = "{key}";
    private static final String UNRESERVED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

    /** An address that may be called. */
    record Address(Origin origin, URI uri) {}

    AllowedOrigins {
        allowed = Set.copyOf(allowed);
    }

    /** @throws RefusedCall when the address is none, or leads to anywhere else */
    Address of(String url, String key) throws RefusedCall {
        String text = url.contains(KEY) ? url.replace(KEY, encoded(key)) : url;
        if (text.startsWith("/") && !text.startsWith("//")) {
            return at(home, Origin.read(home + text));
        }
        URI address = Origin.read(text);
        Origin origin = Origin.of(address);
        if (!allowed.contains(origin)) {
            throw new RefusedCall(origin + " is not an allowed origin of this sender; HttpSender.allow adds one");
        }
        return at(origin, address);
    }

    /** Where a redirect leads: to the same origin or nowhere. */
    static Address redirected(Address from, String location) throws RefusedCall {
        URI target = from.uri().resolve(Origin.read(location));
        if (!Origin.of(target).equals(from.origin())) {
            throw new RefusedCall("it redirects to another origin");
        }
        return at(from.origin(), target);
    }

    private static Address at(Origin origin, URI address) throws RefusedCall {
        if (address.getRawFragment() != null) {
            throw new RefusedCall("the address has a fragment, which no server gets to see");
        }
        String path = address.getRawPath() == null || address.getRawPath().isEmpty() ? "/" : address.getRawPath();
        String query = address.getRawQuery() == null ? "" : "?" + address.getRawQuery();
        return new Address(origin, Origin.read(origin + path + query));
    }

    /** So that a key cannot end the part of the address it stands in. */
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
