// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.MessageId;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryBy;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EffectKeysTest {

    private static final MessageId ID = new MessageId("/orders", "evt-456");

    /** Providers remember these keys: another value would charge again. */
    @Test
    void keysStayTheSameForEver() {
        assertThat(EffectKeys.of("billing", ID, "charge")).isEqualTo("a07ec5f1-6e44-ac86-bfb9-9be7a5564b91");
        assertThat(EffectKeys.of("abrechnung", new MessageId("/bestellungen", "évt-😀"), "Überweisung"))
                .isEqualTo("465461eb-bb5a-6d1d-c1a1-1f7c9e1966ad");
    }

    @Test
    void everyPartCounts() {
        Set<String> keys = new HashSet<>(List.of(
                EffectKeys.of("billing", ID, "charge"),
                EffectKeys.of("shipping", ID, "charge"),
                EffectKeys.of("billing", new MessageId("/other", "evt-456"), "charge"),
                EffectKeys.of("billing", new MessageId("/orders", "evt-457"), "charge"),
                EffectKeys.of("billing", ID, "refund"),
                EffectKeys.of("billing", ID, "Charge"),
                EffectKeys.of("billing", ID, "")));

        assertThat(keys).hasSize(7);
    }

    /** Another payload under a known id is another effect; it is remembered for ever too. */
    @Test
    void aConflictHasKeysOfItsOwn() {
        UUID variant = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");

        assertThat(keyOf(null)).isEqualTo(EffectKeys.of("billing", ID, "charge"));
        assertThat(keyOf(variant)).isEqualTo("d0d29f0b-7817-df16-d8a5-becba877b89e");
        assertThat(keyOf(UUID.fromString("00112233-4455-6677-8899-aabbccddeef0")))
                .isNotEqualTo(keyOf(variant));
    }

    private static String keyOf(@Nullable UUID conflict) {
        EntrySnapshot snapshot = new EntrySnapshot(EntryState.FAILED_RETRYABLE, RetryBy.INBOX, 0, 0, 0, 0, 0, conflict);
        RecordedMessage recorded = Samples.found(Samples.candidate(0, ID, null, Samples.WORK), snapshot);
        return EffectKeys.of(
                new RegisteredConsumer("accounting", "billing", 7, ConsumerPolicy.defaults()), recorded, "charge");
    }

    @Test
    void partsDoNotRunTogether() {
        Set<String> keys = new HashSet<>(List.of(
                EffectKeys.of("ab", new MessageId("c", "d"), "e"),
                EffectKeys.of("a", new MessageId("bc", "d"), "e"),
                EffectKeys.of("a", new MessageId("b", "cd"), "e"),
                EffectKeys.of("a", new MessageId("b", "c"), "de"),
                EffectKeys.of("abcde", new MessageId("", ""), ""),
                EffectKeys.of("", new MessageId("", ""), "abcde"),
                EffectKeys.of("", new MessageId("abcde", ""), ""),
                EffectKeys.of("", new MessageId("", "abcde"), "")));

        assertThat(keys).hasSize(8);
    }
}
