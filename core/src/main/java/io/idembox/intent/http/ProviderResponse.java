// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.policy.Identity;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The response of a provider, for functions that interpret more than its status. Immutable. */
public final class ProviderResponse {

    private final int status;
    private final HttpHeaders headers;
    private final byte[] body;
    private final boolean cut;

    ProviderResponse(int status, HttpHeaders headers, byte[] body, boolean cut) {
        this.status = status;
        this.headers = headers;
        this.body = body;
        this.cut = cut;
    }

    public int status() {
        return status;
    }

    /** The first value of that header, ignoring case. */
    public Optional<String> header(String name) {
        return headers.firstValue(name);
    }

    /** The body decoded as UTF-8, up to the limit of the sender. */
    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }

    /** True when the body exceeded the limit of the sender and the rest was not read. */
    public boolean isCut() {
        return cut;
    }

    /**
     * The text of a string or number in a JSON body; empty when there is no such field.
     *
     * @param pointer a JSON pointer such as {@code /id} or {@code /data/0/id}
     */
    public Optional<String> json(String pointer) {
        return at(pointer)
                .of(Message.of("answer", "answer", Payload.of(body, Payload.JSON)))
                .map(MessageId::id);
    }

    /** Uses an identity because it finds a field in JSON of any depth without a JSON library. */
    private static Identity at(String pointer) {
        checkPointer(pointer);
        return Identity.jsonField(pointer);
    }

    static void checkPointer(String pointer) {
        if (pointer.length() < 2 || !pointer.startsWith("/")) {
            throw new InboxConfigurationException(
                    "A field of a response must be a JSON pointer such as /id, was '" + pointer + "'");
        }
    }

    /** Shows only status and size. */
    @Override
    public String toString() {
        return status + ", " + body.length + " bytes";
    }
}
