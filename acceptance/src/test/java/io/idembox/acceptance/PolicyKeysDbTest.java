// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever can be said in a file is obeyed: every key of {@code docs/configuration.md} changes what happens. On H2. */
class PolicyKeysDbTest {

    static List<KeyCase> cases() {
        return Stream.of(
                        ConsumerKeys.all(),
                        ReplayKeys.all(),
                        AlertKeys.all(),
                        OrderKeys.all(),
                        PauseKeys.all(),
                        RetryKeys.all(),
                        WorkKeys.all(),
                        IntentKeys.all(),
                        OutboxKeys.all(),
                        AuditKeys.all())
                .flatMap(List::stream)
                .toList();
    }

    @Test
    void everyKeyOfThePageHasACaseAndEveryCaseIsOnThePage() throws IOException {
        List<PageOfKeys.Key> shown = cases().stream().map(KeyCase::page).toList();

        assertThat(shown).containsExactlyInAnyOrderElementsOf(PageOfKeys.keys());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatIsSaidIsSeen(KeyCase key) throws Exception {
        assertThat(key.outcomes()).hasSizeGreaterThan(1);
        assertThat(key.outcomes().values()).doesNotHaveDuplicates();

        Map<String, String> seen = new LinkedHashMap<>();
        for (String value : key.outcomes().keySet()) {
            seen.put(value, key.seenWith(value));
        }

        assertThat(seen).isEqualTo(key.outcomes());
    }
}
