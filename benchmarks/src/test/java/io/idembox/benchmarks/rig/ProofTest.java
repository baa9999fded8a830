// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ProofTest {

    @Test
    void holdsWhenDeliveriesAnswersAndEffectsAgree() {
        assertThat(new Proof(90, 10, new Tally(90, 10, 0), 90, 0).holds()).isTrue();
    }

    @Test
    void lostEffectIsFound() {
        assertThat(new Proof(90, 10, new Tally(90, 10, 0), 89, 0).holds()).isFalse();
    }

    @Test
    void doubledEffectIsFound() {
        assertThat(new Proof(90, 10, new Tally(91, 9, 0), 91, 0).holds()).isFalse();
    }

    @Test
    void newMessageAnsweredAsDuplicateIsFound() {
        assertThat(new Proof(90, 10, new Tally(89, 11, 0), 89, 0).holds()).isFalse();
    }

    @Test
    void whatFailedMayHaveHappenedOrNot() {
        assertThat(new Proof(90, 10, new Tally(88, 10, 2), 88, 0).holds()).isTrue();
        assertThat(new Proof(90, 10, new Tally(88, 10, 2), 90, 0).holds()).isTrue();
        assertThat(new Proof(90, 10, new Tally(88, 10, 2), 91, 0).holds()).isFalse();
        assertThat(new Proof(90, 10, new Tally(88, 10, 2), 87, 0).holds()).isFalse();
    }

    @Test
    void whatIsLeftOverIsFound() {
        assertThat(new Proof(90, 10, new Tally(90, 10, 0), 90, 1).holds()).isFalse();
        assertThat(new Proof(90, 10, new Tally(88, 10, 2), 88, 1).holds()).isFalse();
    }

    @Test
    void differenceEndsTheRunAndSaysWhere() {
        assertThatThrownBy(() -> new Proof(2, 0, new Tally(2, 0, 0), 1, 0).orThrow("B, W=1"))
                .isInstanceOf(WrongEffectsException.class)
                .hasMessageContaining("B, W=1")
                .hasMessageContaining("1 effects");
    }
}
