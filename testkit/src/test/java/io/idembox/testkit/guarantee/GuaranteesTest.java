// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

class GuaranteesTest {

    private static Message message(String id) {
        return Message.of(id, "T", "{}").from("/orders").keyed("k");
    }

    private static History.Builder threeSent() {
        return History.builder().sent(message("1"), message("2"), message("3"));
    }

    @Test
    void anAcknowledgedMessageNeedsAnEffectOrAnEntry() {
        NothingLost nothingLost = new NothingLost();

        nothingLost.check(threeSent().build());
        nothingLost.check(threeSent()
                .acknowledged(List.of(message("1"), message("2")))
                .effect("1")
                .kept("2")
                .build());
        assertThatThrownBy(() -> nothingLost.check(threeSent()
                        .acknowledged("1")
                        .acknowledged("3")
                        .effect("1")
                        .build()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 messages lost: 3.")
                .hasMessageContaining("sent 3, acknowledged 2, effects 1, kept 0");
    }

    @Test
    void lossIsNotCheckedAfterLateDuplicates() {
        History late = threeSent().acknowledged("1").afterLateDuplicates().build();

        assertThatIllegalStateException()
                .isThrownBy(() -> new NothingLost().check(late))
                .withMessageContaining("before");
        assertThatCode(() -> new HandledOnce().check(late)).doesNotThrowAnyException();
    }

    @Test
    void twoEffectsAreOneTooMany() {
        HandledOnce once = new HandledOnce();

        once.check(threeSent().effects(List.of("1", "2", "3")).build());
        assertThatThrownBy(() ->
                        once.check(threeSent().effects(List.of("1", "2", "1")).build()))
                .hasMessageContaining("1 (2 effects)");
        assertThatThrownBy(() -> once.check(threeSent().effect("1").kept("1").build()))
                .hasMessageContaining("although they failed: 1");
        assertThatThrownBy(() -> once.check(threeSent().effect("9").build()))
                .hasMessageContaining("no message that was sent: 9");
    }

    @Test
    void effectsOfAKeyComeInTheOrderSent() {
        InOrderPerKey inOrder = new InOrderPerKey();

        inOrder.check(threeSent().effects(List.of("1", "3", "1", "3")).build());
        inOrder.check(History.builder()
                .sent("a", "k1")
                .sent("b", "k2")
                .sent("c", null)
                .effects(List.of("c", "b", "a"))
                .build());
        assertThatThrownBy(() -> inOrder.check(
                        threeSent().effects(List.of("1", "3", "2")).build()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("2 (after 3)");
    }

    @Test
    void onlyTheFirstTenAreNamed() {
        History.Builder history = History.builder();
        for (int i = 1; i <= 12; i++) {
            history.sent("m" + i, null).acknowledged("m" + i);
        }

        assertThatThrownBy(() -> new NothingLost().check(history.build()))
                .hasMessageContaining("12 messages lost: m1, ")
                .hasMessageContaining("m10 and 2 more");
    }

    @Test
    void guaranteesAddUp() {
        Guarantee both = new NothingLost().and(new HandledOnce());

        assertThatThrownBy(() -> both.check(threeSent().acknowledged("1").build()))
                .hasMessageContaining("lost");
        assertThatThrownBy(() -> both.check(threeSent().effect("1").effect("1").build()))
                .hasMessageContaining("more than once");
    }

    @Test
    void twoSourcesWithTheSameIdNeedNames() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> History.builder().sent(message("1"), message("1").from("/other")));
        assertThat(History.builder().sent(message("1"), message("1")).build().sent())
                .containsExactly("1");
    }
}
