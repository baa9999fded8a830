// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import static org.assertj.core.api.Assertions.assertThatObject;

import java.sql.SQLException;
import java.sql.Savepoint;
import org.junit.jupiter.api.Test;

class UnresolvedErrorsTest {

    private final UnresolvedErrors unresolvedErrors = new UnresolvedErrors();
    private final SQLException first = new SQLException("first");
    private final SQLException second = new SQLException("second");

    @Test
    void nothingIsUnresolvedAtTheBeginning() {
        assertThatObject(unresolvedErrors.unresolved()).isNull();
    }

    @Test
    void theFirstErrorIsRemembered() {
        unresolvedErrors.met(first);
        unresolvedErrors.met(second);

        assertThatObject(unresolvedErrors.unresolved()).isSameAs(first);
    }

    @Test
    void rollingBackBehindTheErrorUndoesIt() {
        Savepoint before = savepoint();
        unresolvedErrors.met(first);

        unresolvedErrors.rolledBackTo(before);

        assertThatObject(unresolvedErrors.unresolved()).isNull();
    }

    @Test
    void rollingBackToALaterSavepointUndoesNothing() {
        unresolvedErrors.met(first);
        Savepoint after = savepoint();
        unresolvedErrors.met(second);

        unresolvedErrors.rolledBackTo(after);

        assertThatObject(unresolvedErrors.unresolved()).isSameAs(first);
    }

    @Test
    void theOldestOfTheErrorsDecides() {
        Savepoint outer = savepoint();
        unresolvedErrors.met(first);
        Savepoint inner = savepoint();
        unresolvedErrors.met(second);

        unresolvedErrors.rolledBackTo(inner);
        assertThatObject(unresolvedErrors.unresolved()).isSameAs(first);

        unresolvedErrors.rolledBackTo(outer);
        assertThatObject(unresolvedErrors.unresolved()).isNull();
    }

    @Test
    void anErrorAfterwardsIsRememberedAgain() {
        Savepoint before = savepoint();
        unresolvedErrors.met(first);
        unresolvedErrors.rolledBackTo(before);

        unresolvedErrors.met(second);
        assertThatObject(unresolvedErrors.unresolved()).isSameAs(second);

        unresolvedErrors.rolledBackTo(before);
        assertThatObject(unresolvedErrors.unresolved()).isNull();
    }

    @Test
    void aSavepointNobodySawUndoesNothing() {
        savepoint();
        unresolvedErrors.met(first);

        unresolvedErrors.rolledBackTo(new Unnamed());

        assertThatObject(unresolvedErrors.unresolved()).isSameAs(first);
    }

    @Test
    void startingOverForgetsErrorsAndSavepoints() {
        Savepoint old = savepoint();
        unresolvedErrors.met(first);

        unresolvedErrors.clear();
        assertThatObject(unresolvedErrors.unresolved()).isNull();

        unresolvedErrors.met(second);
        unresolvedErrors.rolledBackTo(old);
        assertThatObject(unresolvedErrors.unresolved()).isSameAs(second);
    }

    private Savepoint savepoint() {
        Savepoint saved = new Unnamed();
        unresolvedErrors.saved(saved);
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
