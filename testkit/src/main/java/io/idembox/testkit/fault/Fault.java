// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What goes wrong at a step. Immutable.
 *
 * @param kind the sort of fault
 * @param sqlState for the errors a database reports, null for the others
 */
public record Fault(Kind kind, @Nullable String sqlState) {

    /** The sorts of faults. */
    public enum Kind {
        /** The process is gone, with all its sessions. After a commit the commit stands. */
        GONE,
        /** The connection is gone. After a commit the commit stands, but its answer does not arrive. */
        CONNECTION_LOST,
        /** The thread stands still while something else happens, then goes on. */
        PAUSED,
        /** The database answers with an error. */
        SQL_ERROR,
        /** The database refuses the commit itself: everything is rolled back and the transaction is over. */
        COMMIT_REFUSED
    }

    public static final Fault GONE = new Fault(Kind.GONE, null);
    public static final Fault CONNECTION_LOST = new Fault(Kind.CONNECTION_LOST, null);
    public static final Fault PAUSED = new Fault(Kind.PAUSED, null);

    /** The states worth trying: contention, lock timeout, cancel, shutdown, no connections, full disk, read-only. */
    public static final List<String> SQL_STATES =
            List.of("40001", "40P01", "55P03", "57014", "57P01", "53300", "53100", "25006");

    private static final Set<String> AT_CONNECT = Set.of("57P01", "53300");

    public Fault {
        Objects.requireNonNull(kind, "kind");
        boolean reported = kind == Kind.SQL_ERROR || kind == Kind.COMMIT_REFUSED;
        if (reported != (sqlState != null)) {
            throw new IllegalArgumentException(kind + (reported ? " needs an SQLState" : " has no SQLState"));
        }
        if (sqlState != null && !sqlState.matches("[0-9A-Z]{5}")) {
            throw new IllegalArgumentException("An SQLState has five digits or capital letters, was " + sqlState);
        }
    }

    /**
     * The server reports the error: PostgreSQL raises it itself, so that the transaction is really aborted; on H2 it is
     * thrown, after a rollback for the states 40… as H2 does. 57P01 ends the session as well.
     */
    public static Fault sqlError(String sqlState) {
        return new Fault(Kind.SQL_ERROR, sqlState);
    }

    /** The commit itself fails with the error, and the transaction is over. For steps that commit. */
    public static Fault commitRefused(String sqlState) {
        return new Fault(Kind.COMMIT_REFUSED, sqlState);
    }

    /** Everything that can go wrong: gone, connection lost, paused, and all of {@link #SQL_STATES}. */
    public static List<Fault> all() {
        var all = new java.util.ArrayList<>(List.of(GONE, CONNECTION_LOST, PAUSED));
        SQL_STATES.forEach(state -> all.add(sqlError(state)));
        all.add(commitRefused("40001"));
        all.add(commitRefused("23503"));
        return List.copyOf(all);
    }

    /** Whether the fault can happen there in real life; an error after a successful commit, for example, cannot. */
    public boolean canHappenAt(Step step, FaultPlan.When when) {
        return switch (kind) {
            case GONE, CONNECTION_LOST, PAUSED -> true;
            case COMMIT_REFUSED -> step.kind() == Step.Kind.COMMIT && when == FaultPlan.When.BEFORE;
            case SQL_ERROR ->
                switch (step.kind()) {
                    case ACKNOWLEDGE -> false;
                    case CONNECT -> when == FaultPlan.When.BEFORE && AT_CONNECT.contains(sqlState);
                    case ROLLBACK -> when == FaultPlan.When.BEFORE && "57P01".equals(sqlState);
                    case EXECUTE, SAVEPOINT, COMMIT -> when == FaultPlan.When.BEFORE || !step.commits();
                };
        };
    }

    /** For people: {@code connection lost}, {@code SQL error 40001}. */
    @Override
    public String toString() {
        return switch (kind) {
            case GONE -> "process gone";
            case SQL_ERROR -> "SQL error " + sqlState;
            case CONNECTION_LOST, PAUSED, COMMIT_REFUSED ->
                kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + (sqlState == null ? "" : " " + sqlState);
        };
    }
}
