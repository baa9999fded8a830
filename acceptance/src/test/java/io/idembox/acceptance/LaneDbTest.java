// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.Message;
import io.idembox.MessageHandler;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.spi.Backlog;
import io.idembox.spi.ConsumerEndpoint;
import io.idembox.spi.Delivery;
import io.idembox.spi.PartitionOwnership;
import io.idembox.spi.Partitions;
import io.idembox.spi.ReadPosition;
import io.idembox.spi.RunningSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sources, the lanes they read, and what becomes of work on a lane that somebody else took. */
class LaneDbTest extends DatabaseTest {

    private final List<Node> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(node -> node.inbox.close());
    }

    /** A process with a source that does what the test says. */
    private final class Node implements RunningSource {

        final Inbox inbox;
        final List<String> told = new ArrayList<>();

        @Nullable
        ConsumerEndpoint endpoint;

        boolean closed;

        Node(ConsumerPolicy policy, MessageHandler<String> handler) {
            inbox = Inbox.on(database.dataSource()).createSchema().start();
            nodes.add(this);
            inbox.subscribe("billing")
                    .policy(policy)
                    .from(opened -> {
                        endpoint = opened;
                        return this;
                    })
                    .on("Paid", String.class, handler)
                    .retry(RetryPolicy.defaults().by(policy.mode() == Mode.DIRECT ? RetryBy.REDELIVERY : RetryBy.INBOX))
                    .start();
        }

        Partitions lanes() {
            return Objects.requireNonNull(endpoint).partitions();
        }

        PartitionOwnership take(int partition) {
            return lanes().take("orders", partition);
        }

        List<Receipt> bring(int partition, String... ids) {
            List<Delivery> deliveries = new ArrayList<>();
            for (String id : ids) {
                deliveries.add(delivery(Message.of(id, "Paid", "{}").at(new Position("orders", partition, 7))));
            }
            return Objects.requireNonNull(endpoint).receive(deliveries);
        }

        private Delivery delivery(Message message) {
            return new Delivery() {
                @Override
                public Message message() {
                    return message;
                }

                @Override
                public void acknowledge() {
                    told.add("ack " + message.id().orElseThrow());
                }

                @Override
                public void release(Duration notBefore) {
                    told.add("release " + message.id().orElseThrow());
                }
            };
        }

        @Override
        public Backlog backlog() {
            return new Backlog(List.of());
        }

        @Override
        public void pause(String why) {
            // Nothing is paused here.
        }

        @Override
        public void resume() {
            // Nothing is paused here.
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private Node node() {
        return node(ConsumerPolicy.defaults());
    }

    private Node node(ConsumerPolicy policy) {
        return new Node(policy, (payload, ctx) -> effect(ctx));
    }

    @Test
    void aSourceBringsDeliveriesAndIsToldAboutEach() {
        Node node = node();
        node.take(0);
        node.bring(0, "a", "b", "a");
        assertThat(node.told).containsExactly("ack a", "ack b", "ack a");
        assertThat(effects()).containsExactly("a", "b");
    }

    @Test
    void aSourceIsClosedWithTheInbox() {
        Node node = node();
        node.inbox.close();
        assertThat(node.closed).isTrue();
    }

    @Test
    void aSourceThatRefusesItsSettingsStopsTheStart() {
        assertThatThrownBy(() -> inbox.subscribe("billing")
                        .from(endpoint -> {
                            throw new InboxConfigurationException("no such setting");
                        })
                        .on("Paid", String.class, (payload, ctx) -> {})
                        .start())
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessage("no such setting");
    }

    @Test
    void whoLostItsLaneHasNoEffectAnyMore() {
        Node first = node();
        PartitionOwnership lost = first.take(0);
        first.bring(0, "a");
        Node second = node();
        PartitionOwnership held = second.take(0);
        first.bring(0, "b");
        assertThat(effects()).containsExactly("a");
        assertThat(lost.isHeld()).isFalse();
        first.bring(0, "c");
        assertThat(first.told).containsExactly("ack a", "release b", "release c");
        second.bring(0, "b", "c");
        assertThat(effects()).containsExactly("a", "b", "c");
        assertThat(held.isHeld()).isTrue();
    }

    @Test
    void aLaneTakenWhileAHandlerRunsIsNoticedAtTheCommit() {
        Node second = node();
        AtomicReference<@Nullable PartitionOwnership> taken = new AtomicReference<>();
        Node first = new Node(ConsumerPolicy.defaults(), (payload, ctx) -> {
            effect(ctx);
            if (taken.get() == null) {
                taken.set(second.take(0));
            }
        });
        first.take(0);
        first.bring(0, "a", "b");
        assertThat(first.told).containsExactly("release a", "release b");
        assertThat(effects()).isEmpty();
        second.bring(0, "a", "b");
        assertThat(effects()).containsExactly("a", "b");
    }

    @Test
    void storedMessagesAreFencedAsWell() {
        ConsumerPolicy stored = ConsumerPolicy.defaults().mode(Mode.STORED);
        Node first = node(stored);
        first.take(0);
        Node second = node(stored);
        second.take(0);
        first.bring(0, "a");
        assertThat(first.told).containsExactly("release a");
        assertThat(database.list("select message_id from idembox_inbox")).isEmpty();
        second.bring(0, "a");
        assertThat(second.told).containsExactly("ack a");
    }

    @Test
    void otherLanesGoOn() {
        Node first = node();
        first.take(0);
        first.take(1);
        node().take(0);
        first.bring(0, "a");
        first.bring(1, "b");
        assertThat(first.told).containsExactly("release a", "ack b");
    }

    @Test
    void theSameProcessMayTakeItsLaneAgain() {
        Node node = node();
        PartitionOwnership before = node.take(0);
        PartitionOwnership now = node.take(0);
        assertThat(before.isHeld()).isFalse();
        node.bring(0, "a");
        assertThat(node.told).containsExactly("ack a");
        assertThat(now.isHeld()).isTrue();
    }

    @Test
    void howFarALaneWasReadIsKeptForWhoeverReadsItNext() {
        Node first = node();
        PartitionOwnership ownership = first.take(0);
        assertThat(ownership.position()).isEmpty();
        assertThat(first.lanes().savePositions(Map.of(ownership, new ReadPosition("topic-1", 7, 40))))
                .containsExactly(Map.entry(ownership, Partitions.SaveResult.SAVED));
        assertThat(first.take(0).position()).contains(new ReadPosition("topic-1", 7, 40));
        PartitionOwnership again = first.take(0);
        ReadPosition position = new ReadPosition("topic-1", 7, 42, Optional.of(new ReadPosition.Checkpoint(3, 41)));
        assertThat(first.lanes().savePositions(Map.of(again, position)))
                .containsExactly(Map.entry(again, Partitions.SaveResult.SAVED));
        Node second = node();
        PartitionOwnership next = second.take(0);
        assertThat(next.position()).contains(position);
        assertThat(next.isRewound()).isFalse();
        assertThat(first.lanes().savePositions(Map.of(again, new ReadPosition("topic-1", 7, 50))))
                .containsExactly(Map.entry(again, Partitions.SaveResult.LOST));
        assertThat(second.take(0).position()).contains(position);
    }

    @Test
    void whoTakesOverFromOneThatSaidGoodByeNeedNotBeCareful() {
        Node first = node();
        PartitionOwnership ownership = first.take(0);
        first.bring(0, "a");
        assertThat(database.list("select case when in_flight > 0 then 'some' end from idembox_partition"))
                .containsExactly("some");
        ownership.release();
        assertThat(ownership.isHeld()).isFalse();
        assertThat(
                        database.list(
                                "select in_flight || case when released then ' released' else ' held' end from idembox_partition"))
                .containsExactly("0 released");
        first.bring(0, "b");
        assertThat(first.told).containsExactly("ack a", "release b");
        node().take(0);
        ownership.release();
        assertThat(database.list("select case when released then 'released' else 'held' end from idembox_partition"))
                .containsExactly("held");
    }

    @Test
    void whoTakesOverFromOneThatWentAwayIsCareful() {
        Node first = node();
        first.take(0);
        first.bring(0, "a");
        List<String> stored = new ArrayList<>();
        Node second = new Node(ConsumerPolicy.defaults(), (payload, ctx) -> {
            stored.addAll(database.list("select status from idembox_inbox where message_id = 'b'"));
            effect(ctx);
        });
        second.take(0);
        second.bring(0, "b");
        assertThat(stored).containsExactly("IN_PROGRESS");
        assertThat(effects()).containsExactly("a", "b");
    }
}
