// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.audit.AuditKey;
import io.idembox.policy.Alerts;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Fingerprint;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.Limits;
import io.idembox.policy.MissingId;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.OutgoingPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.Retention;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.SequencePolicy;
import io.idembox.policy.Strategy;
import io.idembox.policy.UnknownType;
import io.idembox.policy.WorkPolicy;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Two consumers as people describe them, in our keys: the first example of {@code docs/configuration.md}, value by value. */
class TwoConsumersTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final Policies policies =
            PolicyFile.read(file(), name -> Optional.of(SECRET).filter(any -> name.equals("IDEMBOX_AUDIT_KEY")));

    static Path file() {
        try {
            return Path.of(Objects.requireNonNull(TwoConsumersTest.class.getResource("two-consumers.yaml"))
                    .toURI());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private ConsumerPolicy consumer(String name) {
        return Objects.requireNonNull(policies.consumers().get(name));
    }

    @Test
    void thereAreTwo() {
        assertThat(policies.consumers()).containsOnlyKeys("search-indexer", "notification-sender");
        assertThat(policies.outbox())
                .isEqualTo(Map.of("receipts", OutboxPolicy.defaults().retention(Retention.of(Duration.ofDays(7)))));
        assertThat(Objects.requireNonNull(policies.audit()).auditKey())
                .isEqualTo(AuditKey.of("2026", SECRET.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void theIndexerFollowsVersionsAndAcknowledgesAfterItsTransaction() {
        ConsumerPolicy indexer = consumer("search-indexer");

        assertThat(indexer.strategy()).isEqualTo(Strategy.SEQUENCED);
        assertThat(indexer.mode()).isEqualTo(Mode.DIRECT);
        assertThat(indexer.recording()).isEqualTo(Recording.FULL);
        assertThat(indexer.identity().strategy())
                .isSameAs(IdentityPolicy.defaults().strategy());
        assertThat(indexer.identity().previous()).isNull();
        assertThat(indexer.identity().missing()).isEqualTo(MissingId.PARK);
        assertThat(indexer.identity().fingerprint()).isEqualTo(Fingerprint.ofBytes());
        assertThat(indexer.retry()).isEqualTo(RetryPolicy.defaults().by(RetryBy.INBOX));
        assertThat(indexer.unknownType()).isEqualTo(UnknownType.PARK);
        assertThat(indexer.ordering()).isEqualTo(Ordering.HOLD);
        SequencePolicy sequence = Objects.requireNonNull(indexer.sequence());
        assertThat(sequence.number().of(Message.of("m1", "Changed", "{}").header("aggregate-version", "7")))
                .contains(7L);
        assertThat(sequence.first()).isNull();
        assertThat(sequence.gapTimeout()).isEqualTo(Duration.ofMinutes(5));
        assertThat(sequence.onGap()).isEqualTo(SequencePolicy.OnGap.PARK);
        assertThat(sequence.refetch()).isNull();
        assertThat(indexer.limits()).isEqualTo(Limits.defaults());
        assertThat(indexer.retention()).isEqualTo(Retention.of(Duration.ofDays(30)));
        assertThat(indexer.pause()).isNull();
        assertThat(indexer.work()).isEqualTo(WorkPolicy.defaults());
        assertThat(indexer.outgoing()).isEqualTo(OutgoingPolicy.defaults());
        assertThat(indexer.intents()).isEmpty();
        assertThat(indexer.replay()).isEqualTo(Replay.NO_EFFECTS);
        assertThat(indexer.alerts()).isEqualTo(new Alerts(null, null, Duration.ofMinutes(1), 0.2));
        assertThat(indexer.owner()).isEqualTo("team-search, search@example.org");
    }

    @Test
    void theSenderStoresFirstAndIsNeverReplayed() {
        assertThat(consumer("notification-sender"))
                .isEqualTo(ConsumerPolicy.effects()
                        .mode(Mode.STORED)
                        .recording(Recording.FULL)
                        .retry(new RetryPolicy(
                                10, Duration.ofSeconds(1), Duration.ofMinutes(10), 2, 0.5, null, Map.of()))
                        .unknownType(UnknownType.PARK)
                        .ordering(Ordering.NONE)
                        .sequence(null)
                        .limits(Limits.defaults())
                        .retention(Retention.forever())
                        .pause(null)
                        .work(WorkPolicy.defaults())
                        .outgoing(OutgoingPolicy.defaults())
                        .intents(Map.of("notify", IntentPolicy.keyed(Duration.ofHours(24))))
                        .replay(Replay.FORBIDDEN)
                        .alerts(new Alerts(1, Duration.ofSeconds(60), null, null))
                        .owner("team-messaging, pager 7"));
    }
}
