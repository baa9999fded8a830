// SPDX-License-Identifier: Apache-2.0
package io.idembox.codec.jackson2;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.idembox.Payload;
import io.idembox.PayloadException;
import io.idembox.spi.PayloadCodec;
import io.idembox.spi.PayloadCodecContract;
import org.junit.jupiter.api.Test;

class JacksonCodecTest extends PayloadCodecContract {

    private final PayloadCodec codec = new JacksonCodec();

    @Override
    protected PayloadCodec codec() {
        return codec;
    }

    @Test
    void aMapperOfYourOwnDecides() {
        PayloadCodec strict = new JacksonCodec(JsonMapper.builder()
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build());
        Payload unknown = Payload.json("{\"orderId\":\"42\",\"secret\":1}");

        assertThatThrownBy(() -> strict.read(unknown, Order.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageNotContaining("secret");
    }
}
