// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatObject;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Payload;
import io.idembox.PayloadException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every codec for JSON does. */
public abstract class PayloadCodecContract {

    /** What a handler may want to see. */
    public record Order(String orderId, long cents, List<String> lines) {}

    protected abstract PayloadCodec codec();

    @Test
    void whatIsWrittenIsReadAgain() {
        Order order = new Order("42 größe 😀", Long.MAX_VALUE, List.of("a", ""));

        Payload written = codec().write(order);

        assertThat(written.contentType()).isEqualTo(Payload.JSON);
        assertThat(codec().read(written, Order.class)).isEqualTo(order);
    }

    @Test
    void anyTypeMayBeAskedFor() {
        assertThat(codec().reads(Order.class)).isTrue();
    }

    @Test
    void jsonIsReadAsItStands() {
        Payload payload = Payload.json("{\"orderId\":\"42\",\"cents\":5000,\"lines\":[\"a\"]}");

        assertThat(codec().read(payload, Order.class)).isEqualTo(new Order("42", 5_000, List.of("a")));
        assertThatObject(codec().read(payload, Map.class))
                .isEqualTo(Map.of("orderId", "42", "cents", 5_000, "lines", List.of("a")));
    }

    @Test
    void fieldsNobodyKnowsAreIgnored() {
        Payload payload =
                Payload.json("{\"new\":{\"x\":[1]},\"orderId\":\"42\",\"cents\":1,\"lines\":[],\"more\":null}");

        assertThat(codec().read(payload, Order.class)).isEqualTo(new Order("42", 1, List.of()));
    }

    @Test
    void jsonNullIsUnreadable() {
        assertUnreadable(Payload.json(" null "));
        assertThatThrownBy(() -> codec().read(Payload.json("null"), Order.class))
                .hasMessage("The payload is JSON null, not a Order");
    }

    @Test
    void nothingIsUnreadable() {
        assertUnreadable(Payload.tombstone());
        assertUnreadable(Payload.json(""));
        assertUnreadable(Payload.json(" \n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secret",
                "<secret/>",
                "{",
                "{\"orderId\":\"secret",
                "{\"orderId\":\"secret\"",
                "{\"orderId\":\"secret\",}",
                "{orderId:\"secret\"}",
                "{\"orderId\" \"secret\"}",
                "{\"orderId\":\"secret\n\"}",
                "{\"orderId\":secret}",
                "{\"cents\":\"secret\"}",
                "{\"cents\":1e999}",
                "{\"cents\":99999999999999999999}",
                "{\"lines\":\"secret\"}",
                "{\"lines\":{\"secret\":1}}",
                "[\"secret\"]",
                "\"secret\"",
                "17",
                "true"
            })
    void whatIsNoOrderIsUnreadableAndNotQuoted(String json) {
        assertUnreadable(Payload.json(json));
    }

    @Test
    void bytesThatAreNoTextAreUnreadable() {
        assertUnreadable(Payload.of(new byte[] {'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'}, Payload.JSON));
        assertUnreadable(Payload.of(new byte[] {0, 1, 2, 3}, Payload.BINARY));
    }

    @Test
    void depthIsUnreadableAndHarmsNobody() {
        assertUnreadable(Payload.json("{\"orderId\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}"));
        assertUnreadable(Payload.json("{\"secret\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}"));
    }

    @Test
    void whatCannotBeWrittenIsNamed() {
        assertThatThrownBy(() -> codec().write(new Loop()))
                .isInstanceOf(PayloadException.class)
                .hasMessage("Loop cannot be written as JSON");
    }

    private void assertUnreadable(Payload payload) {
        assertThatThrownBy(() -> codec().read(payload, Order.class))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining("Order")
                .satisfies(thrown -> assertThat(allTextOf(thrown)).doesNotContain("secret"));
    }

    private static String allTextOf(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text, true));
        return text.toString();
    }

    /** Points at itself. */
    public static final class Loop {

        public Loop getSelf() {
            return this;
        }
    }
}
