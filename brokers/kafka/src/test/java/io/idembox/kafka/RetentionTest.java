// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Computes the retention of a topic from the configuration entries that a broker reports. */
class RetentionTest {

    private static KafkaAdminClient.TopicRetention kept(
            @Nullable String policy, @Nullable String retention, @Nullable String segment) {
        List<ConfigEntry> entries = new ArrayList<>();
        add(entries, "cleanup.policy", policy);
        add(entries, "retention.ms", retention);
        add(entries, "segment.ms", segment);
        return KafkaAdminClient.TopicRetention.of(new Config(entries));
    }

    private static void add(List<ConfigEntry> entries, String name, @Nullable String value) {
        if (value != null) {
            entries.add(new ConfigEntry(name, value.equals("null") ? null : value));
        }
    }

    @Test
    void retentionAndSegmentCountTogether() {
        assertThat(kept("delete", "5000", "2000"))
                .isEqualTo(new KafkaAdminClient.TopicRetention(Optional.of(Duration.ofSeconds(7)), List.of()));
        assertThat(kept("compact,delete", "5000", "2000"))
                .isEqualTo(new KafkaAdminClient.TopicRetention(Optional.of(Duration.ofSeconds(7)), List.of()));
    }

    @Test
    void topicThatIsOnlyCompactedKeepsRecordsForEver() {
        assertThat(kept("compact", "5000", "2000").time()).isEmpty();
        assertThat(kept("delete", "-1", "2000").time()).isEmpty();
        assertThat(kept("compact", null, null))
                .isEqualTo(new KafkaAdminClient.TopicRetention(Optional.empty(), List.of()));
        assertThat(kept("delete", "-1", null))
                .isEqualTo(new KafkaAdminClient.TopicRetention(Optional.empty(), List.of()));
    }

    @Test
    void entryThatTheBrokerDoesNotReportIsNotKnown() {
        assertThat(kept("delete", "5000", null))
                .isEqualTo(
                        new KafkaAdminClient.TopicRetention(Optional.of(Duration.ofSeconds(5)), List.of("segment.ms")));
        assertThat(kept("delete", "null", "2000"))
                .isEqualTo(new KafkaAdminClient.TopicRetention(
                        Optional.of(Duration.ofSeconds(2)), List.of("retention.ms")));
        assertThat(kept("delete", "7 days", "2000").missing()).containsExactly("retention.ms");
        assertThat(kept(null, null, null).missing()).containsExactly("cleanup.policy", "retention.ms", "segment.ms");
    }
}
