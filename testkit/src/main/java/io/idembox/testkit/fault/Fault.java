// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A fault at a step. Immutable.
 *
 * @param kind the kind of fault
 * @param sqlState for errors that a database reports, null for other faults
 */
public record Fault(Kind kind, @Nullable String sqlState) {

    /** The kinds of faults. */
    public enum Kind {
        /** The process crashes, with all its sessions. A commit before the crash stays committed. */
        GONE,
        /** The connection is lost. A commit before that stays committed, but its answer does not arrive. */
        CONNECTION_LOST,
        /** The thread pauses while something else happens, then continues. */
        PAUSED,
        /** The database answers with an error. */
        SQL_ERROR,
        /** The database refuses the commit: the transaction is rolled back and over. */
        COMMIT_REFUSED
    }

    public static final Fault GONE = new Fault(Kind.GONE, null);
    public static final Fault CONNECTION_LOST = new Fault(Kind.CONNECTION_LOST, null);
    public static final Fault PAUSED = new Fault(Kind.PAUSED, null);

    /** SQLStates to try: contention, lock timeout, cancel, shutdown, no connections, full disk, read-only. */
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

    /** The commit fails with the error, and the transaction is over. For steps that commit. */
    public static Fault commitRefused(String sqlState) {
        return new Fault(Kind.COMMIT_REFUSED, sqlState);
    }

    /** All faults: crash, connection lost, paused, and all of {@link #SQL_STATES}. */
    public static List<Fault> all() {
        var all = new java.util.ArrayList<>(List.of(GONE, CONNECTION_LOST, PAUSED));
        SQL_STATES.forEach(state -> all.add(sqlError(state)));
        all.add(commitRefused("40001"));
        all.add(commitRefused("23503"));
        return List.copyOf(all);
    }

    /**
     * Whether the fault can happen at this step in production; an error after a successful commit, for example, cannot.
     */
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

    /** A readable form: {@code connection lost}, {@code SQL error 40001}. */
    @Override
    public String toString() {
        return switch (kind) {
            case GONE -> "process crashed";
            case SQL_ERROR -> "SQL error " + sqlState;
            case CONNECTION_LOST, PAUSED, COMMIT_REFUSED ->
                kind.name().toLowerCase(Locale.ROOT).replace('_', ' ') + (sqlState == null ? "" : " " + sqlState);
        };
    }
}
