// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Rules for header names and values. A line break in a value would allow request smuggling. */
final class HeaderRules {

    /**
     * Headers that belong to a connection or are derived from the request. They cannot be set, not even by
     * configuration.
     */
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

    /** Whether the name is a token as defined in RFC 9110. */
    static boolean isName(String name) {
        return TOKEN.matcher(name).matches();
    }

    /** Whether the value is one line of visible ASCII, with spaces and tabs only inside. */
    static boolean isValue(String value) {
        return LINE.matcher(value).matches() && value.strip().length() == value.length();
    }

    static boolean isReserved(String name) {
        return RESERVED.contains(name.toLowerCase(Locale.ROOT));
    }
}
