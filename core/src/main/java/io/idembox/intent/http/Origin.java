// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Scheme, host and port in normalized form: lower case, no trailing dot, always with a port. Names are compared as text
 * and never resolved: {@code 127.1} does not equal {@code 127.0.0.1}.
 */
record Origin(String scheme, String host, int port) {

    private static final int MAX_LENGTH = 8_000;
    private static final Pattern NAME =
            Pattern.compile("(?=.{1,253}$)[a-z0-9][a-z0-9-]{0,62}([.][a-z0-9][a-z0-9-]{0,62})*");
    private static final Pattern LOOPBACK = Pattern.compile("127([.][0-9]{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:]{2,39}([.0-9]{7,15})?\\]");

    /**
     * Parses an address. Accepts only visible ASCII that {@link URI} can parse, without characters that parsers treat
     * differently.
     */
    static URI read(String text) throws RefusedCall {
        if (text.length() > MAX_LENGTH) {
            throw new RefusedCall("the address is longer than " + MAX_LENGTH + " characters");
        }
        if (!text.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\')) {
            throw new RefusedCall("the address has characters that are not allowed");
        }
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            throw new RefusedCall("the address cannot be parsed");
        }
    }

    /** Returns the origin of an address. */
    static Origin of(URI address) throws RefusedCall {
        String scheme = lower(address.getScheme());
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw new RefusedCall("the address is neither a path nor an http or https address");
        }
        if (address.getRawUserInfo() != null) {
            throw new RefusedCall("the address contains a user, which belongs in a header");
        }
        if (address.getRawFragment() != null) {
            throw new RefusedCall("the address has a fragment, which is never sent to a server");
        }
        String host = normal(lower(address.getHost()));
        int port = address.getPort() >= 0 ? address.getPort() : defaultPort(scheme);
        if (port < 1 || port > 65_535) {
            throw new RefusedCall("the address has an invalid port");
        }
        return new Origin(scheme, host, port);
    }

    private static String normal(String host) throws RefusedCall {
        if (host.startsWith("[")) {
            return literal(host);
        }
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (!NAME.matcher(name).matches()) {
            throw new RefusedCall("the address has no host that can be compared");
        }
        return name;
    }

    private static String literal(String host) throws RefusedCall {
        try {
            // A bracketed IPv6 literal with only these characters is not resolved through DNS.
            if (IPV6.matcher(host).matches() && InetAddress.getByName(host) instanceof Inet6Address address) {
                return "[" + address.getHostAddress() + "]";
            }
        } catch (UnknownHostException e) {
            // refused below
        }
        throw new RefusedCall("the address has no host that can be compared");
    }

    boolean isPlain() {
        return scheme.equals("http");
    }

    /** Whether traffic stays on this machine. */
    boolean isLoopback() {
        return host.equals("localhost") || LOOPBACK.matcher(host).matches() || host.equals("[0:0:0:0:0:0:0:1]");
    }

    /** Formats the origin as in an address, without a default port. */
    @Override
    public String toString() {
        return scheme + "://" + host + (port == defaultPort(scheme) ? "" : ":" + port);
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") ? 443 : 80;
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }
}
