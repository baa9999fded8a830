// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.Headers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Headers as one column: number of headers, then length and bytes of each name and value. */
final class HeaderBytes {

    private HeaderBytes() {}

    static byte[] of(Headers headers) {
        List<byte[]> parts = new ArrayList<>(headers.all().size() * 2);
        int size = Integer.BYTES;
        for (Headers.Header header : headers.all()) {
            byte[] name = header.name().getBytes(StandardCharsets.UTF_8);
            byte[] value = header.value();
            parts.add(name);
            parts.add(value);
            size += 2 * Integer.BYTES + name.length + value.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size).putInt(headers.all().size());
        for (byte[] part : parts) {
            bytes.putInt(part.length).put(part);
        }
        return bytes.array();
    }

    static Headers read(byte[] column) {
        ByteBuffer bytes = ByteBuffer.wrap(column);
        int count = bytes.getInt();
        List<Headers.Header> headers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String name = new String(part(bytes), StandardCharsets.UTF_8);
            headers.add(Headers.Header.of(name, part(bytes)));
        }
        return Headers.of(headers);
    }

    private static byte[] part(ByteBuffer bytes) {
        byte[] part = new byte[bytes.getInt()];
        bytes.get(part);
        return part;
    }
}
