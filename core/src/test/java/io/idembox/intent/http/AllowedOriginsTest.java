// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import io.idembox.intent.SendResult;
import java.net.URI;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a call may lead, whatever a message made its handler write. */
class AllowedOriginsTest {

    private static final String KEY = "k-1";

    private final AllowedOrigins allowedOrigins = new AllowedOrigins(
            origin("https://api.example.com"),
            Set.of(
                    origin("https://api.example.com"),
                    origin("https://hooks.example.com:8443"),
                    origin("http://[2001:db8::1]:8080"),
                    origin("http://127.0.0.1:8080")));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "/charges|https://api.example.com/charges",
                "/|https://api.example.com/",
                "/a/../b//c?x=1&y=%2F|https://api.example.com/a/../b//c?x=1&y=%2F",
                "/@evil.com/|https://api.example.com/@evil.com/",
                "/:80@evil.com|https://api.example.com/:80@evil.com",
                "/https://evil.com/|https://api.example.com/https://evil.com/",
                "/charges/{key}|https://api.example.com/charges/k-1",
                "/charges?key={key}|https://api.example.com/charges?key=k-1",
                "https://api.example.com|https://api.example.com/",
                "https://api.example.com?x=1|https://api.example.com/?x=1",
                "HTTPS://API.Example.COM:443/charges|https://api.example.com/charges",
                "https://api.example.com:/charges|https://api.example.com/charges",
                "https://api.example.com./charges|https://api.example.com/charges",
                "https://api.example.com:0443/charges|https://api.example.com/charges",
                "https://hooks.example.com:8443/x|https://hooks.example.com:8443/x",
                "http://127.0.0.1:8080/x|http://127.0.0.1:8080/x",
                "http://[2001:DB8:0:0::1]:8080/x|http://[2001:db8:0:0:0:0:0:1]:8080/x"
            })
    void leadsToAnAllowedOriginInItsOwnWords(String url, String called) throws RefusedCall {
        assertThat(allowedOrigins.of(url, KEY).uri()).isEqualTo(URI.create(called));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // another host, port or scheme
                "https://evil.com/",
                "http://api.example.com/",
                "http://api.example.com:443/",
                "https://api.example.com:80/",
                "https://api.example.com:8443/",
                "https://hooks.example.com/",
                "https://example.com/",
                "https://x.api.example.com/",
                "https://api.example.com.evil.com/",
                "https://api.example.comevil.com/",
                "https://evil.com/api.example.com",
                "https://evil.com?https://api.example.com/",
                // who is the host?
                "https://api.example.com@evil.com/",
                "https://api.example.com:443@evil.com/",
                "https://evil.com@api.example.com/",
                "https://user:secret@api.example.com/",
                "https://@api.example.com/",
                "https://evil.com#@api.example.com/",
                "https://api.example.com#/evil.com",
                "https://evil.com\\@api.example.com/",
                "https://api.example.com\\.evil.com/",
                "https:\\\\evil.com/",
                "\\\\evil.com/",
                "/\\evil.com/",
                "//evil.com/",
                "///evil.com/",
                "//api.example.com/",
                "https:evil.com",
                "https:/evil.com",
                "https:///evil.com/",
                "https://",
                "https:",
                "https://:443/",
                "https://,/",
                // encoded, or in other letters
                "https://%61pi.example.com/",
                "https://api%2eexample.com/",
                "https://api.example.com%2f@evil.com/",
                "https://api.example.com%00.evil.com/",
                "https://\u0430pi.example.com/",
                "https://api\u3002example.com/",
                "https://api.example\uff0ecom/",
                "https://api.ex\u00adample.com/",
                "https://\u24d0pi.example.com/",
                "https://api.example.com../",
                "https://.api.example.com/",
                "https://api..example.com/",
                // this machine and the cloud's own, in many ways
                "http://127.0.0.1/",
                "http://127.1:8080/",
                "http://127.0.1:8080/",
                "http://2130706433:8080/",
                "http://0x7f000001:8080/",
                "http://0x7f.0.0.1:8080/",
                "http://0177.0.0.1:8080/",
                "http://127.0.0.1.:8081/",
                "http://0.0.0.0:8080/",
                "http://localhost:8080/",
                "http://[::1]:8080/",
                "http://[::ffff:127.0.0.1]:8080/",
                "http://[0:0:0:0:0:ffff:7f00:1]:8080/",
                "http://[2001:db8::2]:8080/",
                "http://[2001:db8::1%25eth0]:8080/",
                "http://[2001:db8::1]/",
                "http://[v1.a]:8080/",
                "http://169.254.169.254/latest/meta-data/",
                // ports that are none
                "https://api.example.com:0/",
                "https://api.example.com:65979/",
                "https://api.example.com:4294967739/",
                "https://api.example.com:-443/",
                "https://api.example.com:443:443/",
                "https://api.example.com: 443/",
                // other schemes, and no scheme at all
                "file:///etc/passwd",
                "ftp://api.example.com/",
                "jar:https://api.example.com!/",
                "gopher://api.example.com/",
                "javascript:alert(1)",
                "unix:/var/run/docker.sock",
                "api.example.com/charges",
                "charges",
                "?x=1",
                "",
                // more than one line
                " https://api.example.com/",
                "https://api.example.com/\r\nHost: evil.com",
                "/charges HTTP/1.1\r\nHost: evil.com\r\n\r\n",
                "/charges\tx",
                "/charges\u0000",
                "/{other}",
                "/a#b"
            })
    void leadsNowhereElse(String url) {
        assertThatThrownBy(() -> allowedOrigins.of(url, KEY)).isInstanceOf(RefusedCall.class);
    }

    @Test
    void aKeyCannotLeaveItsPlace() throws RefusedCall {
        assertThat(allowedOrigins.of("/charges/{key}", "a/../b?c=d&e#f%g ü").uri())
                .isEqualTo(URI.create("https://api.example.com/charges/a%2f..%2fb%3fc%3dd%26e%23f%25g%20%c3%bc"));
        assertThatThrownBy(() -> allowedOrigins.of("https://{key}/", "evil.com"))
                .isInstanceOf(RefusedCall.class);
    }

    @Test
    void anAddressHasALimit() {
        assertThatThrownBy(() -> allowedOrigins.of("/" + "x".repeat(8_000), KEY))
                .isInstanceOf(RefusedCall.class)
                .hasMessageContaining("8000");
    }

    @Test
    void nothingIsSentToWhereItMayNot() throws InterruptedException {
        try (StubProvider allowed = new StubProvider();
                StubProvider other = new StubProvider()) {
            HttpSender sender = HttpSender.to(allowed.origin()).build();

            SendResult refused =
                    sender.send(Calls.intent(HttpCall.post(other.origin() + "/" + Calls.MARK, Calls.BODY)));

            assertThat(refused)
                    .isInstanceOfSatisfying(
                            SendResult.Failed.class,
                            failed -> assertThat(failed.why())
                                    .contains("not made", other.origin(), "allow")
                                    .doesNotContain(Calls.MARK));
            assertThat(other.requests()).isEmpty();
            assertThat(allowed.requests()).isEmpty();

            HttpSender both =
                    HttpSender.to(allowed.origin()).allow(other.origin()).build();
            assertThat(both.send(Calls.intent(HttpCall.post(other.origin() + "/x", "{}"))))
                    .isInstanceOf(SendResult.Sent.class);
            assertThat(other.requests()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "api.example.com",
                "https://api.example.com/v1",
                "https://api.example.com?x",
                "https://api.example.com#x",
                "https://user@api.example.com",
                "https://b\u00fccher.example",
                "https://*.example.com",
                "https://api.example.com:99999",
                "ftp://api.example.com",
                "https://",
                ""
            })
    void whatIsNotAnOriginIsRefusedAtTheStart(String text) {
        assertThatThrownBy(() -> HttpSender.to(text)).isInstanceOf(InboxConfigurationException.class);
        HttpSender.Builder builder = HttpSender.to("https://api.example.com");
        assertThatThrownBy(() -> builder.allow(text)).isInstanceOf(InboxConfigurationException.class);
    }

    private static Origin origin(String text) {
        try {
            return Origin.of(Origin.read(text));
        } catch (RefusedCall refused) {
            throw new AssertionError(refused);
        }
    }
}
