// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A journal that follows the topic is fine; with one thing changed it is not, and the right thing is reported. */
class CheckerTest {

    private final List<Sent> topic = new ArrayList<>();
    private final List<Sent.Name> effects = new ArrayList<>();
    private final Set<Sent.Name> unfinished = new HashSet<>();
    private long committed = Long.MAX_VALUE;

    CheckerTest() {
        for (int number = 0; number < 20; number++) {
            send(number);
            effects.add(name(number));
        }
    }

    private static Sent.Name name(int number) {
        return new Sent.Name("/tenant", "m" + number);
    }

    private void send(int number) {
        topic.add(new Sent(name(number), "key-" + number % 2, 0, topic.size()));
    }

    private Findings found(int breaksAllowed) {
        Findings findings = new Findings();
        new Checker("direct", breaksAllowed, findings)
                .check(topic, new Checker.Journal(effects, unfinished, sent -> sent.offset() < committed));
        return findings;
    }

    @Test
    void oneEffectEachInTheOrderOfTheTopicIsFine() {
        Findings findings = found(0);

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.effects).isEqualTo(20);
    }

    @Test
    void aSecondCopyOfTheProducerNeedsNoSecondEffect() {
        send(3);

        assertThat(found(0).areFine()).isTrue();
    }

    @Test
    void aMessageWithoutAnEffectIsLostWhenItsOffsetIsCommitted() {
        effects.remove(name(7));

        assertThat(found(0).lost).isEqualTo(1);
    }

    @Test
    void aMessageThatWasNeverReadIsStuck() {
        effects.remove(name(7));
        committed = 7;

        Findings findings = found(0);

        assertThat(findings.lost).isZero();
        assertThat(findings.stuck).isEqualTo(1);
    }

    @Test
    void aMessageThatTheInboxHasAndDoesNotHandleIsStuck() {
        effects.remove(name(7));
        unfinished.add(name(7));

        Findings findings = found(0);

        assertThat(findings.lost).isZero();
        assertThat(findings.stuck).isEqualTo(1);
    }

    @Test
    void anEffectOfAMessageThatIsNotDoneIsStuckBecauseItWillHaveAnother() {
        unfinished.add(name(7));

        assertThat(found(0).stuck).isEqualTo(1);
    }

    @Test
    void aSecondEffectIsDoubled() {
        effects.add(name(7));

        Findings findings = found(0);

        assertThat(findings.doubled).isEqualTo(1);
        assertThat(findings.reordered).isZero();
    }

    @Test
    void theSameIdOfAnotherSourceIsAnotherMessage() {
        topic.add(new Sent(new Sent.Name("/other", "m7"), "other", 0, topic.size()));

        assertThat(found(0).lost).isEqualTo(1);
    }

    @Test
    void anEffectBehindALaterOneOfItsKeyIsReordered() {
        effects.remove(name(4));
        effects.add(effects.indexOf(name(6)) + 1, name(4));

        assertThat(found(0).reordered).isEqualTo(1);
    }

    @Test
    void theOrderOfDifferentKeysIsFree() {
        effects.remove(name(4));
        effects.add(effects.indexOf(name(5)) + 1, name(4));

        assertThat(found(0).areFine()).isTrue();
    }

    @Test
    void aKeyMayGoBackOnceForWhatIsReadAgain() {
        effects.removeAll(List.of(name(4), name(6), name(8)));
        effects.addAll(effects.indexOf(name(12)) + 1, List.of(name(4), name(6), name(8)));

        Findings findings = found(1);

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.late).isEqualTo(3);
    }

    @Test
    void aKeyMayNotGoBackTwiceInOneFailover() {
        effects.removeAll(List.of(name(4), name(6)));
        effects.add(effects.indexOf(name(12)) + 1, name(6));
        effects.add(effects.indexOf(name(14)) + 1, name(4));

        assertThat(found(1).reordered).isEqualTo(1);
        assertThat(found(2).areFine()).isTrue();
    }

    @Test
    void aSecondCopyThatTheProducerSentDoesNotCountAsGoingBackWhereTheFirstWasForgotten() {
        effects.removeAll(List.of(name(4), name(6)));
        effects.addAll(List.of(name(6), name(4)));
        send(6);

        assertThat(found(1).areFine()).isTrue();
        assertThat(found(0).reordered).isEqualTo(2);
    }

    @Test
    void anEffectOfARecordThatKafkaLostIsCountedAndNoViolation() {
        effects.add(new Sent.Name("/tenant", "cut"));

        Findings findings = found(0);

        assertThat(findings.areFine()).isTrue();
        assertThat(findings.gone).isEqualTo(1);
    }
}
