// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.spi.PayloadCodec;

/** Reads payloads: what needs no codec here, everything else through the codec. */
public final class PayloadReader {

    private PayloadReader() {}

    public static boolean needsNoCodec(Class<?> type) {
        return type == Message.class || type == Payload.class || type == String.class || type == byte[].class;
    }

    public static <T> T read(PayloadCodec codec, Message message, Class<T> type) {
        if (type == Message.class) {
            return type.cast(message);
        }
        Payload payload = message.payload();
        if (type == Payload.class) {
            return type.cast(payload);
        }
        if (type == String.class) {
            return type.cast(payload.text());
        }
        if (type == byte[].class) {
            return type.cast(payload.bytes());
        }
        return codec.read(payload, type);
    }
}
