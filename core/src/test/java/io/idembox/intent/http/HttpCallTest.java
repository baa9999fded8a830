// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Payload;
import io.idembox.spi.PayloadCodec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpCallTest {

    static Stream<PayloadCodec> codecs() {
        return Stream.of(new io.idembox.codec.jackson2.JacksonCodec(), new io.idembox.codec.jackson3.JacksonCodec());
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void comesBackFromTheDatabaseAsItWent(PayloadCodec codec) {
        List<HttpCall> calls = List.of(
                HttpCall.post("/charges", "{\"cents\":5,\"text\":\"Grüße ✓\"}").header("X-Tenant", "7"),
                HttpCall.put("/charges/{key}", "{}"),
                HttpCall.patch("/charges/1", "{}"),
                HttpCall.delete("https://api.example.com/charges/1"),
                HttpCall.post("/token", "{}").body("a=1&b=2", "application/x-www-form-urlencoded"));

        for (HttpCall call : calls) {
            assertThat(codec.read(codec.write(call), HttpCall.class)).isEqualTo(call);
        }
    }

    @ParameterizedTest
    @MethodSource("codecs")
    void isReadWithoutWhatIsNotThere(PayloadCodec codec) {
        HttpCall read = codec.read(Payload.json("{\"method\":\"DELETE\",\"url\":\"/charges/1\"}"), HttpCall.class);

        assertThat(read).isEqualTo(HttpCall.delete("/charges/1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "CONNECT", "TRACE", "POST /evil HTTP/1.1\r\nX:", "", "POST "})
    void otherMethodsAreRefused(String method) {
        assertThatThrownBy(() -> new HttpCall(method, "/", Map.of(), null, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("method");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\r\nX-Evil: 1",
                "a\nX-Evil: 1",
                "a\rX-Evil: 1",
                "a\u0000",
                "a\u0085b",
                "a\u2028b",
                "\u560a\u560dX-Evil: 1",
                "ü",
                " a",
                "a\r\n"
            })
    void aHeaderIsOneLineOfAscii(String value) {
        HttpCall call = HttpCall.post("/", "{}");

        assertThatThrownBy(() -> call.header("X-A", value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-A")
                .hasMessageNotContaining("Evil");
        assertThatThrownBy(() -> call.body("{}", value)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X A", "X-A:", "X-A\r\nX-Evil", "X\u0000", ":path", "ü", "X-A "})
    void aHeaderHasAName(String name) {
        HttpCall call = HttpCall.post("/", "{}");

        assertThatThrownBy(() -> call.header(name, "1")).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Authorization", "cookie", "PROXY-authorization"})
    void secretsAreNotStored(String name) {
        HttpCall call = HttpCall.post("/", "{}");

        assertThatThrownBy(() -> call.header(name, Calls.MARK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("HttpSender.header")
                .hasMessageNotContaining(Calls.MARK);
    }

    @Test
    void aHeaderIsThereOnceWhateverItsCase() {
        Map<String, String> twice = new LinkedHashMap<>();
        twice.put("X-A", "1");
        twice.put("x-a", "2");

        assertThatThrownBy(() -> new HttpCall("POST", "/", twice, null, null))
                .hasMessageContaining("Header x-a of the call is a duplicate");
        assertThat(HttpCall.delete("/").header("X-A", "1").header("x-a", "2").headers())
                .containsExactly(Map.entry("x-a", "2"));
    }

    @Test
    void headersAreACopy() {
        Map<String, String> mine = new LinkedHashMap<>(Map.of("X-A", "1"));
        HttpCall call = new HttpCall("POST", "/", mine, null, null);

        mine.put("X-B", "2");

        assertThat(call.headers()).containsExactly(Map.entry("X-A", "1"));
        assertThatThrownBy(() -> call.headers().put("X-B", "2")).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void aBodyAndItsTypeGoTogether() {
        assertThatThrownBy(() -> new HttpCall("POST", "/", Map.of(), null, "x")).hasMessageContaining("content type");
        assertThatThrownBy(() -> new HttpCall("POST", "/", Map.of(), "text/plain", null))
                .hasMessageContaining("or neither");
        assertThatThrownBy(() -> new HttpCall("GET", "/", Map.of(), "text/plain", "x"))
                .hasMessageContaining("GET");
    }

    @Test
    void tellsNeitherAddressNorContent() {
        HttpCall call = HttpCall.post("/" + Calls.MARK, Calls.BODY).header("X-A", Calls.MARK);

        assertThat(call.toString()).contains("POST").doesNotContain(Calls.MARK);
    }
}
