// SPDX-License-Identifier: Apache-2.0
package io.idembox.intent.http;

import static io.idembox.intent.http.StatusRules.Meaning.FAILED;
import static io.idembox.intent.http.StatusRules.Meaning.RETRY;
import static io.idembox.intent.http.StatusRules.Meaning.SENT;
import static io.idembox.intent.http.StatusRules.Meaning.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of docs/http-sender.md, status by status. */
class StatusRulesTest {

    private static final Set<Integer> RETRIED = Set.of(401, 407, 421, 425, 429);
    private static final Map<Integer, StatusRules.Meaning> EXCEPTIONS =
            Map.of(307, FAILED, 308, FAILED, 408, UNKNOWN, 409, UNKNOWN, 499, UNKNOWN, 501, FAILED, 505, FAILED);

    private final StatusRules rules = StatusRules.defaults();

    @Test
    void everyStatusHasItsMeaning() {
        IntStream.rangeClosed(0, 999).filter(status -> status != 503).forEach(status -> {
            StatusRules.Meaning expected = expected(status);
            assertThat(rules.of(status, false)).as("%d", status).isEqualTo(expected);
            assertThat(rules.of(status, true)).as("%d with Retry-After", status).isEqualTo(expected);
        });
    }

    private static StatusRules.Meaning expected(int status) {
        if (RETRIED.contains(status)) {
            return RETRY;
        }
        if (EXCEPTIONS.containsKey(status)) {
            return EXCEPTIONS.getOrDefault(status, UNKNOWN);
        }
        return switch (status / 100) {
            case 2 -> SENT;
            case 4 -> FAILED;
            default -> UNKNOWN;
        };
    }

    @Test
    void overloadIsARefusalOnlyWhenItNamesATime() {
        assertThat(rules.of(503, true)).isEqualTo(RETRY);
        assertThat(rules.of(503, false)).isEqualTo(UNKNOWN);
    }

    @Test
    void eachIsOverridden() {
        StatusRules own = rules.with(SENT, 409)
                .with(FAILED, 202, 401)
                .with(RETRY, 500, 503)
                .with(UNKNOWN, 400);

        assertThat(own.of(409, false)).isEqualTo(SENT);
        assertThat(own.of(202, false)).isEqualTo(FAILED);
        assertThat(own.of(401, false)).isEqualTo(FAILED);
        assertThat(own.of(500, false)).isEqualTo(RETRY);
        assertThat(own.of(503, false)).isEqualTo(RETRY);
        assertThat(own.of(400, false)).isEqualTo(UNKNOWN);
        assertThat(own.of(404, false)).isEqualTo(FAILED);
        assertThat(rules.of(409, false)).isEqualTo(UNKNOWN);
    }

    @Test
    void aStatusDoesNotMeanTwoThings() {
        StatusRules own = rules.with(SENT, 409);

        assertThatThrownBy(() -> own.with(FAILED, 409))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("409");
        assertThat(own.with(SENT, 409).of(409, false)).isEqualTo(SENT);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 100, 199, 600})
    void onlyStatusesOfAnswersAreTaken(int status) {
        assertThatThrownBy(() -> rules.with(SENT, status)).isInstanceOf(InboxConfigurationException.class);
    }
}
