// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The body of a request, which remembers whether the connection ever asked for it. If it did not, and cannot any more, the
 * provider cannot have a whole request, whatever went wrong. A body of no bytes is never asked for, and proves nothing.
 */
final class TrackedBody implements BodyPublisher {

    private final BodyPublisher bytes;
    private final AtomicReference<Whereabouts> whereabouts = new AtomicReference<>(Whereabouts.HERE);

    private enum Whereabouts {
        HERE,
        ASKED_FOR,
        WITHHELD
    }

    TrackedBody(byte[] body) {
        this.bytes = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    }

    static TrackedBody none() {
        return new TrackedBody(new byte[0]);
    }

    /** True when the provider cannot have the whole request: the body was not asked for, and is not handed out any more. */
    boolean withhold() {
        boolean here = whereabouts.compareAndSet(Whereabouts.HERE, Whereabouts.WITHHELD);
        return contentLength() > 0 && (here || whereabouts.get() == Whereabouts.WITHHELD);
    }

    @Override
    public long contentLength() {
        return bytes.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> connection) {
        if (!whereabouts.compareAndSet(Whereabouts.HERE, Whereabouts.ASKED_FOR)
                && whereabouts.get() == Whereabouts.WITHHELD) {
            throw new IllegalStateException("Whoever makes this call has given it up");
        }
        bytes.subscribe(connection);
    }
}
