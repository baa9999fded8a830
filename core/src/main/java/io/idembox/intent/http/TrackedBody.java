// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.util.concurrent.Flow.Subscriber;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request body that records whether the connection has requested it. If it was never requested, and is withheld from
 * now on, the provider cannot have the complete request. An empty body is never requested and proves nothing.
 */
final class TrackedBody implements BodyPublisher {

    private final BodyPublisher bytes;
    private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);

    private enum State {
        PENDING,
        REQUESTED,
        WITHHELD
    }

    TrackedBody(byte[] body) {
        this.bytes = body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body);
    }

    static TrackedBody none() {
        return new TrackedBody(new byte[0]);
    }

    /**
     * Withholds the body. Returns true when it was never requested, so the provider cannot have the complete request.
     */
    boolean withhold() {
        boolean here = state.compareAndSet(State.PENDING, State.WITHHELD);
        return contentLength() > 0 && (here || state.get() == State.WITHHELD);
    }

    @Override
    public long contentLength() {
        return bytes.contentLength();
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> connection) {
        if (!state.compareAndSet(State.PENDING, State.REQUESTED) && state.get() == State.WITHHELD) {
            throw new IllegalStateException("The caller has abandoned this call");
        }
        bytes.subscribe(connection);
    }
}
