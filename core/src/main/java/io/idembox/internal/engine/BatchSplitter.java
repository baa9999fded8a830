// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Neither too many messages nor too many bytes for one statement. */
final class BatchSplitter {

    private static final long BATCH_BYTES = 64L * 1024 * 1024;

    private BatchSplitter() {}

    static <T> List<List<T>> of(List<T> all, Function<T, Message> messages) {
        List<List<T>> chunks = new ArrayList<>();
        List<T> chunk = new ArrayList<>();
        long bytes = 0;
        for (T each : all) {
            Message message = messages.apply(each);
            long size = message.payload().size() + message.headers().size();
            if (!chunk.isEmpty() && (chunk.size() == NewLedgerRow.BATCH_LIMIT || bytes + size > BATCH_BYTES)) {
                chunks.add(chunk);
                chunk = new ArrayList<>();
                bytes = 0;
            }
            chunk.add(each);
            bytes += size;
        }
        if (!chunk.isEmpty()) {
            chunks.add(chunk);
        }
        return chunks;
    }
}
