// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerContext;
import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Effect keys of a message stay the same while nodes with the old and the new identity strategy run side by side. */
class IdentityChangeKeysDbTest extends DatabaseTest {

    private static final Identity OLD = Identity.headers("old-id");
    private static final Identity NEW = Identity.headers("new-id");
    private static final Message MESSAGE =
            Message.withoutId(Headers.none().with("old-id", "o1").with("new-id", "n1"), Payload.json("{}"));

    private final ManualClock clock = ManualClock.create();
    private final List<String> calls = new ArrayList<>();
    private final Set<String> keys = new LinkedHashSet<>();
    private boolean failing;

    /** Calls a provider with a key, and then fails while the test wants it to. */
    private void charge(HandlerContext context) throws Exception {
        calls.add(context.consumer());
        keys.add(context.effectKey("charge"));
        if (failing) {
            throw new IllegalStateException("not yet");
        }
        effect(context);
    }

    private Bench node(IdentityPolicy identity, ConsumerPolicy policy) {
        return new Bench(database, "a", clock, new Seen(), policy.identity(identity), this::charge);
    }

    private Bench oldNode(ConsumerPolicy policy) {
        return node(IdentityPolicy.by(OLD), policy);
    }

    private Bench newNode(ConsumerPolicy policy) {
        return node(IdentityPolicy.by(NEW).replacing(OLD), policy);
    }

    private static ConsumerPolicy retriedBy(RetryBy by) {
        ConsumerPolicy defaults = ConsumerPolicy.defaults();
        return defaults.retry(defaults.retry().by(by));
    }

    private void fail(Bench node) {
        failing = true;
        node.handle(MESSAGE);
        failing = false;
    }

    private void work(Bench node) {
        clock.advance(Duration.ofHours(1));
        node.work();
    }

    private void oneKeyAndOneEffect(int attempts) {
        assertThat(calls).hasSize(attempts);
        assertThat(keys).as("keys that the provider saw").hasSize(1);
        assertThat(database.count("effect")).isEqualTo(1);
        assertThat(database.count("idembox_entry")).isZero();
    }

    @Test
    void effectKeyOfAnAttemptOnTheOldNodeIsKeptOnTheNewNode() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        fail(oldNode(policy));

        assertThat(newNode(policy).handle(MESSAGE)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        oneKeyAndOneEffect(2);
    }

    @Test
    void effectKeyOfAnAttemptOnTheNewNodeIsKeptOnTheOldNode() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        fail(newNode(policy));

        assertThat(oldNode(policy).handle(MESSAGE)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        oneKeyAndOneEffect(2);
        assertThat(newNode(policy).handle(MESSAGE)).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
    }

    @Test
    void effectKeyStaysWhenAttemptsAlternateBetweenOldAndNewNodes() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        fail(newNode(policy));
        fail(oldNode(policy));
        fail(newNode(policy));

        oldNode(policy).handle(MESSAGE);
        oneKeyAndOneEffect(4);
    }

    @Test
    void effectKeyOfADirectAttemptIsKeptByTheWorkersOfBothNodes() {
        ConsumerPolicy policy = retriedBy(RetryBy.INBOX);
        fail(newNode(policy));
        failing = true;
        work(oldNode(policy));
        work(newNode(policy));
        failing = false;
        work(oldNode(policy));

        oneKeyAndOneEffect(4);
    }

    @Test
    void effectKeyOfAStoredMessageIsTheSameOnBothNodes() {
        ConsumerPolicy policy = retriedBy(RetryBy.INBOX).mode(Mode.STORED);
        newNode(policy).store(MESSAGE);
        assertThat(oldNode(policy).store(MESSAGE)).allMatch(Receipt::acknowledges);
        failing = true;
        work(newNode(policy));
        work(oldNode(policy));
        failing = false;
        work(newNode(policy));

        oneKeyAndOneEffect(3);
    }

    /** A process that dies has written nothing: the next attempt is the first one in the database. */
    @Test
    void effectKeyOfAnAttemptThatLeftNoTraceIsKeptOnTheOldNode() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        newNode(policy).handle(MESSAGE);
        database.run("delete from effect", "delete from idembox_ledger");

        oldNode(policy).handle(MESSAGE);
        oneKeyAndOneEffect(2);
    }

    /** Its producer is not updated yet, or it is redelivered from before: it was a message without an id, and ran twice. */
    @Test
    void messageWithOnlyTheOldIdIsTheSameMessageWhateverMissingIdsMean() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        Message old = Message.withoutId(Headers.none().with("old-id", "o1"), Payload.json("{}"))
                .at(new Position("orders", 0, 7));
        oldNode(policy).handle(old);

        for (MissingId missing : MissingId.values()) {
            IdentityPolicy replacing = IdentityPolicy.by(NEW).replacing(OLD).missing(missing);
            assertThat(node(replacing, policy).handle(old))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.DUPLICATE);
        }
        oneKeyAndOneEffect(1);
    }

    @Test
    void messageWithOnlyTheOldIdIsHandledWhateverMissingIdsMean() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        for (MissingId missing : MissingId.values()) {
            Message old = Message.withoutId(Headers.none().with("old-id", missing.name()), Payload.json("{}"));
            Bench node = node(IdentityPolicy.by(NEW).replacing(OLD).missing(missing), policy);
            assertThat(node.handle(old)).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
            assertThat(oldNode(policy).handle(old)).extracting(Receipt::kind).containsExactly(Receipt.Kind.DUPLICATE);
        }
    }

    /** The new strategy was used alone for a while, before {@code replacing} was configured. */
    @Test
    void effectKeyOfAnEntryUnderTheNewIdIsKept() {
        ConsumerPolicy policy = retriedBy(RetryBy.REDELIVERY);
        fail(node(IdentityPolicy.by(NEW), policy));

        newNode(policy).handle(MESSAGE);
        oneKeyAndOneEffect(2);
    }
}
