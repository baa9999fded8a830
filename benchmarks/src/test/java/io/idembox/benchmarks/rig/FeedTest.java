// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class FeedTest {

    private static final int MANY = 20_000;

    @Test
    void everyTenthDeliveryIsARedelivery() {
        Feed feed = new Feed(new SplittableRandom(1), 0, 1, true);

        List<Message> delivered = feed.next(MANY);

        Set<String> ids = new HashSet<>();
        delivered.forEach(each -> ids.add(each.id().orElseThrow()));
        assertThat(feed.fresh()).isEqualTo(ids.size());
        assertThat(feed.fresh() + feed.repeated()).isEqualTo(MANY);
        assertThat(feed.repeated()).isBetween(MANY / 10 - 200L, MANY / 10 + 200L);
    }

    @Test
    void withoutRedeliveriesAllIdsDiffer() {
        Feed feed = new Feed(new SplittableRandom(1), 0, 1, false);

        assertThat(feed.next(MANY)).extracting(Message::id).doesNotHaveDuplicates();
        assertThat(feed.repeated()).isZero();
    }

    @Test
    void messageIsThreeHundredBytesOfJsonWithARandomUuid() {
        Message message = new Feed(new SplittableRandom(1), 0, 1, true).next(1).get(0);

        UUID id = UUID.fromString(message.id().orElseThrow());
        assertThat(id.version()).isEqualTo(4);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(message.payload().size()).isEqualTo(300);
        assertThat(message.payload().text()).startsWith("{\"event\":\"" + id).endsWith("n\"}");
    }

    @Test
    void workersHaveKeysOfTheirOwn() {
        Feed second = new Feed(new SplittableRandom(1), 1, 4, true);

        assertThat(second.next(MANY))
                .extracting(each -> Integer.parseInt(each.key().orElseThrow()))
                .allMatch(account -> account % 4 == 1 && account < Workload.ACCOUNTS);
    }

    @Test
    void workersShareTheGivenNumberOfKeys() {
        Feed second = new Feed(new SplittableRandom(1), 100, 1, 4, true);

        Set<Integer> accounts = new HashSet<>();
        second.next(MANY)
                .forEach(each -> accounts.add(Integer.parseInt(each.key().orElseThrow())));

        assertThat(accounts).hasSize(25).allMatch(account -> account % 4 == 1 && account < 100);
    }
}
