// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.Payload;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP call that a handler records as an intent and {@link HttpSender} makes after the commit. Immutable.
 *
 * <p>It is stored unchanged, so it must not contain secrets: the sender adds them. {@code {key}} in the address is
 * replaced by the key of the intent, for providers that expect it there, as in {@code PUT /charges/{key}}.
 *
 * @param method POST, PUT, PATCH, DELETE or GET
 * @param url a path such as {@code /charges} at the sender's home, or a whole address at one of its allowed origins
 * @param headers one value per name; headers that are configured on the sender or belong to the connection cannot be
 *     set here
 * @param contentType the content type of the body; null when there is no body
 * @param body the body as text, sent as UTF-8; null for none
 */
public record HttpCall(
        String method,
        String url,
        Map<String, String> headers,
        @Nullable String contentType,
        @Nullable String body) {

    private static final Set<String> METHODS = Set.of("POST", "PUT", "PATCH", "DELETE", "GET");
    private static final Set<String> SECRET = Set.of("authorization", "proxy-authorization", "cookie");
    private static final String JSON = Payload.JSON;

    /**
     * Creates a call.
     *
     * @throws IllegalArgumentException for a call that no sender could make
     */
    public HttpCall {
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(url, "url");
        require(METHODS.contains(method), "The method of a call must be POST, PUT, PATCH, DELETE or GET");
        headers = headers == null ? Map.of() : checked(headers);
        require((body == null) == (contentType == null), "A call must have both a body and a content type, or neither");
        require(body == null || !method.equals("GET"), "A GET must not have a body");
        require(contentType == null || HeaderRules.isValue(contentType), "The content type must be one line of ASCII");
    }

    public static HttpCall post(String url, String json) {
        return new HttpCall("POST", url, Map.of(), JSON, json);
    }

    public static HttpCall put(String url, String json) {
        return new HttpCall("PUT", url, Map.of(), JSON, json);
    }

    public static HttpCall patch(String url, String json) {
        return new HttpCall("PATCH", url, Map.of(), JSON, json);
    }

    public static HttpCall delete(String url) {
        return new HttpCall("DELETE", url, Map.of(), null, null);
    }

    /** Returns a copy with this header added or replaced. */
    public HttpCall header(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.keySet().removeIf(name::equalsIgnoreCase);
        more.put(name, value);
        return new HttpCall(method, url, more, contentType, body);
    }

    /** Returns a copy with another body, such as a form. */
    public HttpCall body(String newBody, String newContentType) {
        return new HttpCall(method, url, headers, newContentType, newBody);
    }

    private static Map<String, String> checked(Map<String, String> headers) {
        Map<String, String> copy = new LinkedHashMap<>();
        Map<String, String> seen = new LinkedHashMap<>();
        headers.forEach((name, value) -> {
            require(name != null && HeaderRules.isName(name), "A header of the call has an invalid name");
            require(
                    value != null && HeaderRules.isValue(value),
                    "Header " + name + " of the call must be one line of ASCII");
            String lower = name.toLowerCase(Locale.ROOT);
            require(seen.put(lower, name) == null, "Header " + name + " of the call is a duplicate");
            require(
                    !SECRET.contains(lower),
                    "Header " + name + " would be stored with the call: pass secrets to HttpSender.header");
            copy.put(name, value);
        });
        return Collections.unmodifiableMap(copy);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /**
     * Shows only method and size: addresses, headers and bodies may contain personal data, and some addresses are
     * secrets.
     */
    @Override
    public String toString() {
        return body == null ? method + " call" : method + " call with a body of " + body.length() + " characters";
    }
}
