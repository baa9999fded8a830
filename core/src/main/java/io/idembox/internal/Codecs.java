// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal;

import io.idembox.InboxConfigurationException;
import io.idembox.Payload;
import io.idembox.spi.PayloadCodec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds a codec when none is given: whichever Jackson the application has. */
final class Codecs {

    private static final Map<String, String> OPTIONAL = Map.of(
            "io.idembox.codec.jackson3.JacksonCodec", "tools.jackson.databind.ObjectMapper",
            "io.idembox.codec.jackson2.JacksonCodec", "com.fasterxml.jackson.databind.ObjectMapper");
    private static final List<String> NEWEST_FIRST =
            List.of("io.idembox.codec.jackson3.JacksonCodec", "io.idembox.codec.jackson2.JacksonCodec");

    private Codecs() {}

    static PayloadCodec find() {
        return NEWEST_FIRST.stream()
                .map(Codecs::tryOut)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseGet(None::new);
    }

    private static Optional<PayloadCodec> tryOut(String codec) {
        try {
            Class.forName(OPTIONAL.getOrDefault(codec, codec), false, Codecs.class.getClassLoader());
            return Optional.of(Class.forName(codec)
                    .asSubclass(PayloadCodec.class)
                    .getDeclaredConstructor()
                    .newInstance());
        } catch (ReflectiveOperationException | LinkageError notThere) {
            return Optional.empty();
        }
    }

    /** Reads nothing: only payload types that need no codec can be used. */
    private static final class None implements PayloadCodec {

        @Override
        public boolean reads(Class<?> type) {
            return false;
        }

        @Override
        public <T> T read(Payload payload, Class<T> type) {
            throw new InboxConfigurationException("There is no codec to read a " + type.getSimpleName());
        }

        @Override
        public Payload write(Object value) {
            throw new InboxConfigurationException(
                    "There is no codec to write a " + value.getClass().getSimpleName());
        }
    }
}
