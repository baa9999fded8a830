// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;

/**
 * The body of a request, which remembers whether the connection ever asked for it. If it did not, the provider cannot have
 * a whole request, whatever went wrong. A body of no bytes is never asked for, and proves nothing.
 */
final class AskedBody implements BodyPublisher {

    private final BodyPublisher bytes;
    private volatile boolean asked;

    AskedBody(byte[] body) {
        this.bytes = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    }

    static AskedBody none() {
        return new AskedBody(new byte[0]);
    }

    /** True when the provider cannot have the whole request. */
    boolean isStillHere() {
        return contentLength() > 0 && !asked;
    }

    @Override
    public long contentLength() {
        return bytes.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> connection) {
        asked = true;
        bytes.subscribe(connection);
    }
}
