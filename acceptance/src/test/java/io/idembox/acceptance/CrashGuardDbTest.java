// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.StoreUnavailableException;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Identity;
import io.idembox.policy.IdentityPolicy;
import io.idembox.policy.MissingId;
import io.idembox.policy.RetryBy;
import io.idembox.spi.FlowControl;
import io.idembox.testkit.ManualClock;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.ProcessGone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Direct mode after a process ended: who takes over is careful, and a message that ends processes is found and parked. */
class CrashGuardDbTest extends DatabaseTest {

    private static final ConsumerPolicy REDELIVERY = ConsumerPolicy.defaults();
    private static final ConsumerPolicy INBOX =
            REDELIVERY.retry(REDELIVERY.retry().by(RetryBy.INBOX));
    private static final ConsumerPolicy REPLACING =
            REDELIVERY.identity(IdentityPolicy.by(Identity.ofMessage()).replacing(Identity.headers("old-id")));

    private final ManualClock clock = ManualClock.create();

    private Life life(ConsumerPolicy policy) {
        return new Life(database, clock, policy);
    }

    private static List<Message> batch() {
        List<Message> messages = new ArrayList<>(IntStream.range(0, 9)
                .mapToObj(n -> message("m" + n).at(new Position("orders", 3, n)))
                .toList());
        messages.add(4, message("killer").at(new Position("orders", 3, 100)));
        return messages;
    }

    /** The process ends inside the call. */
    private void die(Life life, Runnable call) {
        try {
            call.run();
            throw new AssertionError("It survived: " + life.handled);
        } catch (ProcessGone gone) {
            // The database notices.
        }
    }

    private List<String> states() {
        return database.list("select message_id || ' ' || status from idembox_inbox where status <> 'COMPLETED'");
    }

    @Test
    void aKillerIsFoundAndParkedAndItsNeighboursComplete() {
        int lives = 0;
        List<Receipt> receipts = List.of();
        while (receipts.stream().filter(Receipt::acknowledges).count() < 10 && lives < 20) {
            lives++;
            clock.advance(Bench.LEASE.plusSeconds(1));
            Life life = life(REDELIVERY);
            life.reap();
            try {
                receipts = life.receive(batch());
            } catch (ProcessGone gone) {
                receipts = List.of();
            }
        }

        assertThat(database.list(
                        "select status || ' ' || reason || ' ' || crashes from idembox_inbox where message_id ="
                                + " 'killer'"))
                .containsExactly("PARKED CRASH 3");
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates();
        assertThat(lives)
                .as("one uncounted, three counted, one that finds it parked")
                .isEqualTo(5);
        assertThat(receipts.get(4).kind()).isEqualTo(Receipt.Kind.FAILED);
    }

    @Test
    void whatTheInboxRetriesIsStoredByWhoTakesOver() {
        Life first = life(INBOX);
        die(first, () -> first.receive(batch()));

        Life second = life(INBOX);
        assertThat(second.receive(batch())).extracting(Receipt::kind).containsOnly(Receipt.Kind.STORED);
        assertThat(second.handled).isEmpty();
        for (int crash = 1; crash <= 3; crash++) {
            Life next = life(INBOX);
            for (int claims = 0; claims < 12; claims++) {
                try {
                    next.work();
                } catch (ProcessGone gone) {
                    break;
                }
            }
            clock.advance(Bench.LEASE.plusSeconds(1));
            life(INBOX).reap();
        }
        Life last = life(INBOX);
        for (int claims = 0; claims < 12; claims++) {
            last.work();
        }
        assertThat(states()).containsExactly("killer PARKED");
        assertThat(effects()).hasSize(9).doesNotHaveDuplicates();
    }

    @Test
    void whoSaysGoodByeLeavesNothingToBeCarefulAbout() {
        Life first = life(REDELIVERY);
        first.receive(List.of(message("a").at(new Position("orders", 3, 1))));
        first.receiver.close();

        Life second = life(REDELIVERY);
        second.receive(List.of(message("b").at(new Position("orders", 3, 2))));
        assertThat(database.count("idembox_body"))
                .as("bodies are kept of what is claimed first")
                .isZero();
    }

    @Test
    void careEndsWhenAsManyMessagesHaveSurvivedAsMayHaveBeenInFlight() {
        Life first = life(REDELIVERY);
        first.receive(batch().subList(0, 1));
        // Gone without a word. It allowed for sixteen in flight.

        Life second = life(REDELIVERY);
        List<Message> next = IntStream.range(0, 20)
                .mapToObj(n -> message("n" + n).at(new Position("orders", 3, 200 + n)))
                .toList();
        second.receive(next.subList(0, 20));
        assertThat(database.count("idembox_body")).isEqualTo(16);
        assertThat(effects()).hasSize(21);
        second.receive(List.of(message("other").at(new Position("orders", 4, 1))));
        assertThat(database.count("idembox_body")).as("another lane").isEqualTo(16);
    }

    @Test
    void careKeepsTheOrderOfAKey() {
        Life first = life(REDELIVERY);
        first.receive(batch().subList(0, 1));

        Life second = life(REDELIVERY);
        List<Message> keyed = IntStream.range(0, 5)
                .mapToObj(n -> message("k" + n).keyed("k").at(new Position("orders", 3, 300 + n)))
                .toList();
        second.receive(keyed);
        assertThat(second.handled).containsExactly("k0", "k1", "k2", "k3", "k4");
        assertThat(states()).isEmpty();
    }

    @Test
    void whatFailedBeforeTheProcessEndedIsTriedAgainWithCare() {
        Life first = life(REDELIVERY);
        first.failing = true;
        first.receive(batch().subList(0, 1));
        // Gone without a word. The message is the broker's, so nothing but its mark and its failure was kept.

        Life second = life(REDELIVERY);
        assertThat(second.receive(batch().subList(0, 1)))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED);
        assertThat(second.handled).containsExactly("m0");
        assertThat(effects()).containsExactly("m0");
        assertThat(states()).isEmpty();
    }

    @Test
    void whatWasThereWhenAProcessEndedIsNotHandledTogetherWithOthers() {
        Life first = life(REDELIVERY);
        first.receive(batch().subList(0, 1));
        Life second = life(REDELIVERY);
        die(second, () -> second.receive(List.of(batch().get(4))));
        clock.advance(Bench.LEASE.plusSeconds(1));
        life(REDELIVERY).reap();
        // Somebody who is not careful any more, because the lane was given back.
        Life third = life(REDELIVERY);
        third.receive(List.of(message("x").at(new Position("orders", 5, 1))));
        List<Message> both = List.of(
                message("killer").at(new Position("orders", 5, 2)), message("y").at(new Position("orders", 5, 3)));

        assertThat(third.receive(both))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
        die(third, () -> third.receive(both));
        clock.advance(Bench.LEASE.plusSeconds(1));
        life(REDELIVERY).reap();
        assertThat(database.one("select crashes from idembox_inbox where message_id = 'killer'"))
                .isEqualTo("2");
    }

    @Test
    void whatFailedBeforeItsProcessEndedTwiceIsHandledByWhoComesNext() {
        Message killer = message("killer").keyed("k").at(new Position("orders", 3, 7));
        Message behind = message("behind").keyed("k").at(new Position("orders", 3, 8));
        Life first = life(REDELIVERY);
        first.failing = true;
        first.receive(List.of(killer, behind));
        for (int crash = 0; crash < 2; crash++) {
            clock.advance(Duration.ofHours(1));
            Life next = life(REDELIVERY);
            next.reap();
            die(next, () -> {
                next.receive(List.of(killer, behind));
                next.receive(List.of(killer, behind));
            });
        }
        clock.advance(Duration.ofHours(1));
        Life last = life(REDELIVERY);
        last.mortal = false;
        last.reap();
        List<Receipt> receipts = List.of();
        for (int delivery = 0;
                delivery < 4 && receipts.stream().filter(Receipt::acknowledges).count() < 2;
                delivery++) {
            receipts = last.receive(List.of(killer, behind));
        }

        assertThat(effects()).containsExactlyInAnyOrder("killer", "behind");
    }

    /** A message that has another id under the new strategy; it is processed under the old id. */
    private static Message withTwoIds(String id) {
        return message("new " + id).headers(Headers.none().with("old-id", id)).at(new Position("orders", 3, 400));
    }

    /** Somebody read the lane and went away without a word. */
    private Life takenOver(ConsumerPolicy policy) {
        life(policy).receive(List.of(message("before").at(new Position("orders", 3, 399))));
        return life(policy);
    }

    @Test
    void aMessageWithTwoIdsThatFailsUnderCareIsTriedAgain() {
        Life careful = takenOver(REPLACING);
        careful.failing = true;
        assertThat(careful.receive(List.of(withTwoIds("m"))))
                .extracting(Receipt::acknowledges)
                .containsExactly(false);
        careful.failing = false;

        assertThat(careful.receive(List.of(withTwoIds("m"))))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED);
        assertThat(careful.receive(List.of(withTwoIds("m"))))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.DUPLICATE);
        assertThat(effects()).containsExactly("before", "m");
        assertThat(states()).isEmpty();
    }

    @Test
    void aMessageWithTwoIdsThatWasThereWhenAProcessEndedIsTriedAgain() {
        Life careful = takenOver(REPLACING);
        die(careful, () -> careful.receive(List.of(withTwoIds("killer"))));
        clock.advance(Bench.LEASE.plusSeconds(1));
        Life next = life(REPLACING);
        next.reap();
        next.mortal = false;

        assertThat(next.receive(List.of(withTwoIds("killer"))))
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("before", "killer");
        assertThat(states()).isEmpty();
    }

    @Test
    void whatWasThereWhenAProcessEndedIsHandledAlsoOnceItHasTwoIds() {
        ConsumerPolicy before =
                REDELIVERY.identity(IdentityPolicy.by(Identity.headers("old-id").or(Identity.ofMessage())));
        Life careful = takenOver(before);
        die(
                careful,
                () -> careful.receive(List.of(message("x")
                        .headers(Headers.none().with("old-id", "killer"))
                        .at(new Position("orders", 3, 400)))));
        clock.advance(Bench.LEASE.plusSeconds(1));
        Life next = life(REPLACING);
        next.reap();
        next.mortal = false;
        Message again =
                message("x").headers(Headers.none().with("old-id", "killer")).at(new Position("orders", 4, 1));

        assertThat(next.receive(List.of(again))).extracting(Receipt::kind).containsExactly(Receipt.Kind.BUSY);
        assertThat(next.receive(List.of(again))).extracting(Receipt::kind).containsExactly(Receipt.Kind.COMPLETED);
        assertThat(effects()).containsExactly("before", "killer");
        assertThat(states()).isEmpty();
    }

    @Test
    void aLaneThatCannotBeStoredAsItIsIsWatchedAllTheSame() {
        for (String channel : List.of("nul \0 channel", "c".repeat(5_000))) {
            Life first = life(REDELIVERY);
            first.receive(List.of(message("a " + channel.length()).at(new Position(channel, 3, 1))));
            Life second = life(REDELIVERY);
            assertThat(second.receive(List.of(message("b " + channel.length()).at(new Position(channel, 3, 2)))))
                    .extracting(Receipt::kind)
                    .containsExactly(Receipt.Kind.COMPLETED);
        }
        assertThat(database.count("idembox_body")).as("claimed first").isEqualTo(2);
        assertThat(database.count("idembox_partition")).isEqualTo(2);
    }

    @Test
    void whatHasItsIdFromItsPositionIsFoundAgainWhenItIsToRunAlone() {
        ConsumerPolicy derives = REDELIVERY.identity(
                IdentityPolicy.by(Identity.headers("event-id")).missing(MissingId.DERIVE));
        List<Message> messages = IntStream.range(0, 20)
                .mapToObj(n ->
                        Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("orders", 3, n)))
                .toList();
        Message killer = messages.get(1);
        life(derives).receive(messages.subList(0, 1));
        Life second = life(derives);
        second.killer = "3@1";
        die(second, () -> second.receive(List.of(killer)));
        Life third = life(derives);
        third.killer = "3@1";
        third.receive(messages.subList(2, 18));
        clock.advance(Bench.LEASE.plusSeconds(1));
        third.reap();
        List<Message> both = List.of(killer, messages.get(18));

        assertThat(third.receive(both))
                .as("nobody is careful any more")
                .extracting(Receipt::kind)
                .containsExactly(Receipt.Kind.BUSY, Receipt.Kind.COMPLETED);
        die(third, () -> third.receive(both));
        clock.advance(Bench.LEASE.plusSeconds(1));
        life(derives).reap();
        assertThat(database.one("select crashes from idembox_inbox where message_id = '3@1'"))
                .isEqualTo("2");
    }

    private static List<Message> others(String name, int count) {
        return IntStream.range(0, count)
                .mapToObj(n -> message(name + n).at(new Position("orders", 3, 500 + n)))
                .toList();
    }

    @Test
    void whoGetsALaneBackFromOneThatWentAwayIsCarefulAgain() {
        Life first = life(REDELIVERY);
        first.receive(others("a", 1));
        Life second = life(REDELIVERY);
        second.receive(others("b", 16));
        List<Message> withKiller = List.of(message("c").at(new Position("orders", 3, 600)), batch().get(4));
        die(second, () -> second.receive(withKiller));
        assertThat(database.count("idembox_lease"))
                .as("nobody counted that one")
                .isZero();
        clock.advance(Duration.ofSeconds(2));

        die(first, () -> first.receive(withKiller));

        clock.advance(Bench.LEASE.plusSeconds(1));
        life(REDELIVERY).reap();
        assertThat(database.one("select crashes from idembox_inbox where message_id = 'killer'"))
                .isEqualTo("1");
    }

    @Test
    void whoGetsALaneBackThatWasGivenBackSaysAnewWhatIsInFlight() {
        Life first = life(REDELIVERY);
        first.receive(others("a", 1));
        Life second = life(REDELIVERY);
        second.receive(others("b", 1));
        second.receiver.close();
        clock.advance(Duration.ofSeconds(2));

        first.receive(others("c", 1));

        assertThat(database.count("idembox_body"))
                .as("claimed first by the second")
                .isEqualTo(1);
        assertThat(database.list("select in_flight || ' ' || released from idembox_partition"))
                .extracting(String::toLowerCase)
                .containsExactly("16 false");
    }

    @Test
    void whatCouldNotBeWrittenAboutALaneIsWrittenTheNextTime() {
        Life life = life(REDELIVERY);
        life.owners.fail = true;
        assertThatThrownBy(() -> life.receive(others("a", 1))).isInstanceOf(StoreUnavailableException.class);
        life.owners.fail = false;

        life.receive(others("a", 1));
        life.receive(others("b", 16));

        assertThat(database.list("select in_flight from idembox_partition")).containsExactly("16");
        assertThat(effects()).hasSize(17);
    }

    @Test
    void aLaneThatIsLostWhileItsNumberGrowsIsTakenOverAnew() {
        Life first = life(REDELIVERY);
        first.receive(others("a", 1));
        Life second = life(REDELIVERY);
        second.receive(others("b", 16));

        first.receive(others("c", 20));

        assertThat(database.count("idembox_body"))
                .as("claimed first: sixteen by the second, sixteen by the first")
                .isEqualTo(32);
        assertThat(effects()).hasSize(37);
    }

    @Test
    void anInterruptThatWasMeantForAHandlerUnderCareDoesNotReachTheBroker() {
        Life careful = takenOver(REDELIVERY);
        careful.watch.interrupts = true;

        careful.receive(others("a", 1));

        assertThat(Thread.interrupted()).isFalse();
        assertThat(effects()).containsExactly("a0", "before");
    }

    @Test
    void anInterruptOfSomebodyElseIsKept() {
        Life careful = takenOver(REDELIVERY);
        careful.inside = () -> Thread.currentThread().interrupt();

        careful.receive(others("a", 1));

        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aLaneIsNotGivenBackWhileSomethingOfItIsInFlight() {
        Life first = life(REDELIVERY);
        first.inside = first.receiver::close;
        first.receive(others("a", 1));

        life(REDELIVERY).receive(others("b", 1));

        assertThat(database.count("idembox_body")).as("claimed first").isEqualTo(1);
    }

    @Test
    void anOutageThatAQuietLaneMeetsPausesTheBroker() {
        Life first = life(REDELIVERY);
        List<String> told = new ArrayList<>();
        first.receiver.valve().add(new FlowControl() {
            @Override
            public void pause(String why) {
                told.add("pause");
            }

            @Override
            public void resume() {
                told.add("resume");
            }
        });
        first.receive(others("a", 1));
        clock.advance(Duration.ofSeconds(2));
        first.process.inject(FaultPlan.before(1, Fault.CONNECTION_LOST));

        assertThatThrownBy(() -> first.receive(others("b", 1))).isInstanceOf(StoreUnavailableException.class);

        assertThat(told).containsExactly("pause");
    }
}
