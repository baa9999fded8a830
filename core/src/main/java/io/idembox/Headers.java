// SPDX-License-Identifier: Apache-2.0
package io.idembox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message: ordered, repeated names allowed, values as bytes. Lookup ignores case, and the last header
 * of a name wins. Immutable and thread-safe.
 */
public final class Headers {

    private static final Headers NONE = new Headers(List.of());

    private final List<Header> all;

    private Headers(List<Header> all) {
        this.all = all;
    }

    public static Headers none() {
        return NONE;
    }

    public static Headers of(List<Header> headers) {
        return headers.isEmpty() ? NONE : new Headers(List.copyOf(headers));
    }

    /** Returns a copy with one more header, which has a text value. */
    public Headers with(String name, String value) {
        List<Header> more = new ArrayList<>(all);
        more.add(Header.of(name, value));
        return new Headers(List.copyOf(more));
    }

    /** The value of the last header of that name, decoded as UTF-8. */
    public Optional<String> text(String name) {
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).name().equalsIgnoreCase(name)) {
                return Optional.of(all.get(i).text());
            }
        }
        return Optional.empty();
    }

    public List<Header> all() {
        return all;
    }

    /** The size of all names and values, in bytes. */
    public long size() {
        long bytes = 0;
        for (Header header : all) {
            bytes += header.name().getBytes(StandardCharsets.UTF_8).length + (long) header.value.length;
        }
        return bytes;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Headers that && all.equals(that.all);
    }

    @Override
    public int hashCode() {
        return all.hashCode();
    }

    /** Shows only the number of headers: values may contain personal data. */
    @Override
    public String toString() {
        return all.size() + " headers";
    }

    /** A name and its value. Immutable. */
    public static final class Header {

        private final String name;
        private final byte[] value;

        private Header(String name, byte[] value) {
            this.name = Objects.requireNonNull(name, "name");
            this.value = value;
        }

        public static Header of(String name, String value) {
            return new Header(name, value.getBytes(StandardCharsets.UTF_8));
        }

        public static Header of(String name, byte[] value) {
            return new Header(name, value.clone());
        }

        public String name() {
            return name;
        }

        public byte[] value() {
            return value.clone();
        }

        public String text() {
            return new String(value, StandardCharsets.UTF_8);
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Header that && name.equals(that.name) && Arrays.equals(value, that.value);
        }

        @Override
        public int hashCode() {
            return 31 * name.hashCode() + Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
