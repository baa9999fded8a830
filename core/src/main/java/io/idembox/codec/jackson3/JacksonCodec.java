// SPDX-License-Identifier: Apache-2.0
package io.idembox.codec.jackson3;

import io.idembox.Payload;
import io.idembox.PayloadException;
import io.idembox.spi.PayloadCodec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes JSON with Jackson 3. Unknown fields are ignored. Thread-safe. */
public final class JacksonCodec implements PayloadCodec {

    private final ObjectMapper mapper;

    public JacksonCodec() {
        this(JsonMapper.builder()
                .findAndAddModules()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
    }

    public JacksonCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public <T> T read(Payload payload, Class<T> type) {
        try {
            T value = mapper.readValue(payload.bytes(), type);
            if (value == null) {
                throw new PayloadException("The payload is JSON null, not a " + type.getSimpleName(), null);
            }
            return value;
        } catch (JacksonException unreadable) {
            // Jackson's own message quotes the payload; the class of the error does not.
            throw new PayloadException(
                    "Not a " + type.getSimpleName() + " in JSON: "
                            + unreadable.getClass().getSimpleName(),
                    null);
        }
    }

    @Override
    public Payload write(Object value) {
        try {
            return Payload.of(mapper.writeValueAsBytes(value), Payload.JSON);
        } catch (JacksonException unwritable) {
            throw new PayloadException(value.getClass().getSimpleName() + " cannot be written as JSON", unwritable);
        }
    }
}
