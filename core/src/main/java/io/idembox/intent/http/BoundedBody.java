// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * Reads a response body up to a limit and cancels the rest, so that an endless response costs neither memory nor time.
 */
final class BoundedBody implements BodySubscriber<ProviderResponse> {

    private final ResponseInfo head;
    private final int limit;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private final CompletableFuture<ProviderResponse> whole = new CompletableFuture<>();
    private @Nullable Subscription source;

    BoundedBody(ResponseInfo head, int limit) {
        this.head = head;
        this.limit = limit;
    }

    @Override
    public CompletionStage<ProviderResponse> getBody() {
        return whole;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        source = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            int room = limit - read.size();
            byte[] bytes = new byte[Math.min(room, buffer.remaining())];
            buffer.get(bytes);
            read.writeBytes(bytes);
            if (buffer.hasRemaining()) {
                if (source != null) {
                    source.cancel();
                }
                whole.complete(answer(true));
                return;
            }
        }
    }

    @Override
    public void onError(Throwable broken) {
        whole.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        whole.complete(answer(false));
    }

    private ProviderResponse answer(boolean cut) {
        return new ProviderResponse(head.statusCode(), head.headers(), read.toByteArray(), cut);
    }
}
