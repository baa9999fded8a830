// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.benchmarks.rig.WrongEffectsException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ManifestTest {

    private static final Arrival A1 = new Arrival("a1", "a", "1");
    private static final Arrival A2 = new Arrival("a2", "a", "2");
    private static final Arrival B1 = new Arrival("b1", "b", "3");
    private static final Arrival NO_KEY = new Arrival("n1", "", "4");
    private static final Arrival NO_KEY_EITHER = new Arrival("n2", "", "5");

    private final Manifest ordered = new Manifest(List.of(A1, NO_KEY, A2, B1, NO_KEY_EITHER), true);

    @Test
    void keysAndThoseWithoutMayOvertakeEachOther() {
        assertThat(ordered.fault(List.of(B1, NO_KEY_EITHER, A1, A2, NO_KEY))).isEmpty();
    }

    @Test
    void onesOfAKeyMayNot() {
        List<Arrival> arrived = List.of(A2, NO_KEY, A1, B1, NO_KEY_EITHER);

        assertThat(ordered.fault(arrived))
                .hasValueSatisfying(fault -> assertThat(fault).contains("not in their order"));
        assertThat(new Manifest(ordered.sent(), false).fault(arrived)).isEmpty();
    }

    @Test
    void lostOneIsFound() {
        assertThat(ordered.fault(List.of(A1, A2, B1, NO_KEY))).contains("1 did not arrive");
    }

    @Test
    void doubledOneIsFound() {
        assertThat(ordered.fault(List.of(A1, A1, A2, B1, NO_KEY, NO_KEY_EITHER)))
                .contains("a1 arrived twice or was never sent");
    }

    @Test
    void strangerIsFound() {
        assertThat(ordered.fault(List.of(A1, A2, B1, NO_KEY, NO_KEY_EITHER, new Arrival("x", "a", "1"))))
                .contains("x arrived twice or was never sent");
    }

    @Test
    void wrongPayloadOrKeyIsFound() {
        Manifest one = new Manifest(List.of(A1), false);

        assertThat(one.fault(List.of(new Arrival("a1", "a", "2")))).contains("a1 arrived with another key or payload");
        assertThat(one.fault(List.of(new Arrival("a1", "b", "1")))).contains("a1 arrived with another key or payload");
    }

    @Test
    void faultEndsTheRunAndSaysWhere() {
        assertThatThrownBy(() -> ordered.orThrow("relay, memory", List.of(A1)))
                .isInstanceOf(WrongEffectsException.class)
                .hasMessageContaining("relay, memory")
                .hasMessageContaining("4 did not arrive");
    }
}
