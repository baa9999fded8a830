// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Feed;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LettersTest {

    private final List<Message> messages = new Feed(new SplittableRandom(7), 0, 1, false).next(3_000);

    @Test
    void keysHaveSeveralMessagesEach() {
        assertThat(messages.stream()
                        .map(Letters::keyed)
                        .map(message -> message.key().orElseThrow())
                        .distinct())
                .hasSizeBetween(Letters.KEYS / 2, Letters.KEYS);
    }

    @Test
    void nothingButTheKeyChanges() {
        Message message = messages.get(0);

        assertThat(Letters.keyed(message).payload().text())
                .isEqualTo(message.payload().text());
        assertThat(Letters.keyed(message).id()).isEqualTo(message.id());
        assertThat(Arrival.of(Letters.unkeyed(message))).isEqualTo(Arrival.of(Letters.unkeyed(Letters.keyed(message))));
        assertThat(Letters.unkeyed(message).key()).isEmpty();
    }
}
