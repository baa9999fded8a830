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
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private final CompletableFuture<ProviderResponse> response = new CompletableFuture<>();
    private @Nullable Subscription source;

    BoundedBody(ResponseInfo head, int limit) {
        this.head = head;
        this.limit = limit;
    }

    @Override
    public CompletionStage<ProviderResponse> getBody() {
        return response;
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        source = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            int room = limit - content.size();
            byte[] bytes = new byte[Math.min(room, buffer.remaining())];
            buffer.get(bytes);
            content.writeBytes(bytes);
            if (buffer.hasRemaining()) {
                if (source != null) {
                    source.cancel();
                }
                response.complete(answer(true));
                return;
            }
        }
    }

    @Override
    public void onError(Throwable broken) {
        response.completeExceptionally(broken);
    }

    @Override
    public void onComplete() {
        response.complete(answer(false));
    }

    private ProviderResponse answer(boolean cut) {
        return new ProviderResponse(head.statusCode(), head.headers(), content.toByteArray(), cut);
    }
}
