// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Which headers may be set, and what may be in them: whoever can write a line break can write a second request. */
final class HeaderRules {

    /** What belongs to one connection, or is derived from the request. Nobody sets these, not even a configuration. */
    private static final Set<String> RESERVED = Set.of(
            "connection",
            "content-length",
            "content-type",
            "expect",
            "host",
            "http2-settings",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private static final Pattern TOKEN = Pattern.compile("[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,256}");
    private static final Pattern LINE = Pattern.compile("[\\t -~]*");

    private HeaderRules() {}

    /** A token, as RFC 9110 calls it. */
    static boolean isName(String name) {
        return TOKEN.matcher(name).matches();
    }

    /** One line of visible ASCII, with spaces and tabs inside. */
    static boolean isValue(String value) {
        return LINE.matcher(value).matches() && value.strip().length() == value.length();
    }

    static boolean isReserved(String name) {
        return RESERVED.contains(name.toLowerCase(Locale.ROOT));
    }
}
