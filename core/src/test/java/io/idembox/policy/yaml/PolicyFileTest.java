// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.audit.AuditKey;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.Mode;
import io.idembox.policy.OnUnknown;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.Recording;
import io.idembox.policy.RetryBy;
import io.idembox.policy.SequencePolicy;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said arrives in the records, and what is not said is as it was. */
class PolicyFileTest {

    private static ConsumerPolicy billing(String keys) {
        Policies policies = PolicyFile.read("p.yaml", "consumers:\n  billing:\n" + keys.indent(4));
        return Objects.requireNonNull(policies.consumers().get("billing"));
    }

    private static SequencePolicy sequenceOf(ConsumerPolicy policy) {
        return Objects.requireNonNull(policy.sequence());
    }

    private static OutboxPolicy receipts(Policies policies) {
        return Objects.requireNonNull(policies.outbox().get("receipts"));
    }

    @Test
    void anEmptyFileSaysNothing() {
        assertThat(PolicyFile.read("p.yaml", "")).isEqualTo(Policies.none());
        assertThat(PolicyFile.read("p.yaml", "# later\n")).isEqualTo(Policies.none());
    }

    @Test
    void whatIsNotSaidIsAsItWas() {
        assertThat(billing("mode: stored")).isEqualTo(ConsumerPolicy.defaults().mode(Mode.STORED));
    }

    @Test
    void everyKindOfValueIsRead() {
        ConsumerPolicy policy = billing("""
                mode: stored
                recording: full
                ordering: skip-parked
                sequence: { number: { header: version }, first: 1, gap-timeout: 90s, on-gap: skip }
                retry:
                  max-attempts: 5
                  first-delay: 250ms
                  max-delay: PT2M
                  jitter: 0.25
                  by: inbox
                  rules: { java.io.IOException: transient, java.net.SocketTimeoutException: park }
                limits: { payload-bytes: 64KiB, header-count: 10 }
                retention: { ledger: 14d }
                pause: { failure-rate: 0.5, pause: 1m }
                outgoing: { on-duplicate: skip, dead-letters: failed }
                intents:
                  charge: { key-lifetime: 24h, on-unknown: retry-with-key }
                """);

        assertThat(policy.recording()).isEqualTo(Recording.FULL);
        assertThat(policy.ordering()).isEqualTo(Ordering.SKIP_PARKED);
        assertThat(sequenceOf(policy).first()).isEqualTo(1);
        assertThat(sequenceOf(policy).onGap()).isEqualTo(SequencePolicy.OnGap.SKIP);
        assertThat(sequenceOf(policy).gapTimeout()).isEqualTo(Duration.ofSeconds(90));
        assertThat(policy.retry().firstDelay()).isEqualTo(Duration.ofMillis(250));
        assertThat(policy.retry().maxDelay()).isEqualTo(Duration.ofMinutes(2));
        assertThat(policy.retry().by()).isEqualTo(RetryBy.INBOX);
        assertThat(policy.retry().kindOf(new SocketTimeoutException())).contains(Failure.Kind.PARK);
        assertThat(policy.retry().kindOf(new IOException())).contains(Failure.Kind.TRANSIENT);
        assertThat(policy.limits().payloadBytes()).isEqualTo(65_536);
        assertThat(policy.retention().ledger()).isEqualTo(Duration.ofDays(14));
        assertThat(Objects.requireNonNull(policy.pause()).minimum()).isEqualTo(20);
        assertThat(policy.outgoing().deadLetters()).isEqualTo("failed");
        assertThat(Objects.requireNonNull(policy.intents().get("charge")).onUnknown())
                .isEqualTo(OnUnknown.RETRY_WITH_KEY);
    }

    @Test
    void aStrategySetsWhatIsNotSaidWhereverItStands() {
        assertThat(billing("strategy: ids")).isEqualTo(ConsumerPolicy.defaults());
        assertThat(billing("strategy: inbox")).isEqualTo(ConsumerPolicy.inbox());
        assertThat(billing("strategy: effects")).isEqualTo(ConsumerPolicy.effects());
        assertThat(billing("mode: direct\nretry: { max-attempts: 3 }\nstrategy: effects"))
                .returns(Mode.DIRECT, ConsumerPolicy::mode)
                .returns(Recording.FULL, ConsumerPolicy::recording)
                .returns(3, policy -> policy.retry().maxAttempts());
        assertThat(billing("strategy: sequenced\nsequence: { number: { header: v } }")
                        .ordering())
                .isEqualTo(Ordering.HOLD);
        assertThat(billing("strategy: sequenced\nordering: skip-parked\nsequence: { number: { header: v } }")
                        .ordering())
                .isEqualTo(Ordering.SKIP_PARKED);
    }

    @Test
    void nothingIsAWord() {
        assertThat(billing("retention: { ledger: forever }").retention().ledger())
                .isNull();
        assertThat(billing("sequence: none\npause: none")).isEqualTo(ConsumerPolicy.defaults());
        assertThat(billing("owner: none\nalerts: { parked: none, duplicate-share: none }"))
                .isEqualTo(ConsumerPolicy.defaults());
        assertThat(billing("identity: { previous: none }")).isEqualTo(ConsumerPolicy.defaults());
        assertThat(receipts(PolicyFile.read("p.yaml", "outbox: { receipts: { retention: { ledger: forever } } }"))
                        .retention()
                        .ledger())
                .isNull();
    }

    @Test
    void logicalDuplicatesCollapseForTheTypesThatTheFileNames() {
        Identity identity = billing("""
                        identity:
                          strategy:
                            by-type: { OrderPaid: { json-field: /orderId, with-type: true } }
                            otherwise: message""").identity().strategy();
        String order = "{\"orderId\":\"42\"}";

        assertThat(identity.of(Message.of("transport-1", "OrderPaid", order)))
                .isEqualTo(identity.of(Message.of("transport-2", "OrderPaid", order)))
                .contains(new MessageId("", "9:OrderPaid:42"));
        assertThat(identity.of(Message.of("transport-1", "LineItemAdded", order)))
                .contains(new MessageId("", "transport-1"));
    }

    @Test
    void anIdentityIsFoundWhereTheFileSays() {
        Message message =
                Message.of("m-1", "Paid", "{\"eventId\":\"e-7\"}").from("/bank").header("x-id", "h-3");

        assertThat(idOf("json-field: /eventId", message)).isEqualTo("e-7");
        assertThat(idOf("headers: [ y-id, x-id ]", message)).isEqualTo("h-3");
        assertThat(billing("identity: { strategy: [ { headers: [ none ] }, message ] }")
                        .identity()
                        .strategy()
                        .of(message)
                        .orElseThrow()
                        .id())
                .isEqualTo("m-1");
        assertThat(idOf("json-field: /eventId, with-type: true", message))
                .contains("Paid")
                .contains("e-7");
    }

    private static String idOf(String strategy, Message message) {
        return billing("identity: { strategy: { " + strategy + " } }")
                .identity()
                .strategy()
                .of(message)
                .orElseThrow()
                .id();
    }

    @Test
    void aPlaceIsFoundWhereTheFileSays() {
        Message message = Message.of("m-1", "Paid", "{\"version\":7}").header("v", "8");
        String ordered = "ordering: hold\nsequence: { number: { %s } }";

        assertThat(sequenceOf(billing(ordered.formatted("json-field: /version")))
                        .number()
                        .of(message))
                .contains(7L);
        assertThat(sequenceOf(billing(ordered.formatted("header: v"))).number().of(message))
                .contains(8L);
    }

    @Test
    void aSecretIsTakenFromTheEnvironment() {
        String word = "0123456789abcdef0123456789abcdef";

        Policies policies = PolicyFile.read(
                "p.yaml",
                "audit:\n  key-name: '2026'\n  key: ${env:AUDIT_KEY}\n",
                name -> name.equals("AUDIT_KEY") ? Optional.of(word + "\n") : Optional.empty());

        assertThat(Objects.requireNonNull(policies.audit()).auditKey())
                .isEqualTo(AuditKey.of("2026", word.getBytes(StandardCharsets.UTF_8)));
        assertThat(PolicyFile.read("p.yaml", "audit: none")).isEqualTo(Policies.none());
    }

    @Test
    void outboxesAreReadTheSameWay() {
        Policies policies = PolicyFile.read("p.yaml", """
                outbox:
                  receipts: { source: /billing, ordering: none, work: { workers: 1 } }
                """);

        assertThat(receipts(policies).source()).isEqualTo("/billing");
        assertThat(receipts(policies).ordering()).isEqualTo(Ordering.NONE);
        assertThat(receipts(policies).work().workers()).isEqualTo(1);
    }
}
