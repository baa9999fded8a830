// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.guard;

import static org.assertj.core.api.Assertions.assertThatObject;

import java.sql.SQLException;
import java.sql.Savepoint;
import org.junit.jupiter.api.Test;

class FaultsTest {

    private final Faults faults = new Faults();
    private final SQLException first = new SQLException("first");
    private final SQLException second = new SQLException("second");

    @Test
    void nothingIsUnresolvedAtTheBeginning() {
        assertThatObject(faults.unresolved()).isNull();
    }

    @Test
    void theFirstErrorIsRemembered() {
        faults.met(first);
        faults.met(second);

        assertThatObject(faults.unresolved()).isSameAs(first);
    }

    @Test
    void rollingBackBehindTheErrorUndoesIt() {
        Savepoint before = savepoint();
        faults.met(first);

        faults.rolledBackTo(before);

        assertThatObject(faults.unresolved()).isNull();
    }

    @Test
    void rollingBackToALaterSavepointUndoesNothing() {
        faults.met(first);
        Savepoint after = savepoint();
        faults.met(second);

        faults.rolledBackTo(after);

        assertThatObject(faults.unresolved()).isSameAs(first);
    }

    @Test
    void theOldestOfTheErrorsDecides() {
        Savepoint outer = savepoint();
        faults.met(first);
        Savepoint inner = savepoint();
        faults.met(second);

        faults.rolledBackTo(inner);
        assertThatObject(faults.unresolved()).isSameAs(first);

        faults.rolledBackTo(outer);
        assertThatObject(faults.unresolved()).isNull();
    }

    @Test
    void anErrorAfterwardsIsRememberedAgain() {
        Savepoint before = savepoint();
        faults.met(first);
        faults.rolledBackTo(before);

        faults.met(second);
        assertThatObject(faults.unresolved()).isSameAs(second);

        faults.rolledBackTo(before);
        assertThatObject(faults.unresolved()).isNull();
    }

    @Test
    void aSavepointNobodySawUndoesNothing() {
        savepoint();
        faults.met(first);

        faults.rolledBackTo(new Unnamed());

        assertThatObject(faults.unresolved()).isSameAs(first);
    }

    @Test
    void startingOverForgetsErrorsAndSavepoints() {
        Savepoint old = savepoint();
        faults.met(first);

        faults.clear();
        assertThatObject(faults.unresolved()).isNull();

        faults.met(second);
        faults.rolledBackTo(old);
        assertThatObject(faults.unresolved()).isSameAs(second);
    }

    private Savepoint savepoint() {
        Savepoint saved = new Unnamed();
        faults.saved(saved);
        return saved;
    }

    /** All equal: drivers may do that, so only the instance counts. */
    private record Unnamed() implements Savepoint {

        @Override
        public int getSavepointId() {
            return 1;
        }

        @Override
        public String getSavepointName() {
            return "";
        }
    }
}
