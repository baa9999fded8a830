// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import java.util.Objects;

/**
 * One call of a process to its database or its broker, at which a fault can be injected. Immutable.
 *
 * @param number counts from 1 in the order of the calls
 * @param kind the purpose of the call
 * @param what the first words of the SQL or the name of the call; never a value
 * @param site the call site, nearest first: {@code Class.method:line < Class.method:line}; begins with {@code
 *     handler} when the handler made the call
 * @param commits whether the call makes something durable: a commit, or a statement in auto-commit mode
 */
public record Step(int number, Kind kind, String what, String site, boolean commits) {

    /** The purpose of a call. */
    public enum Kind {
        /** A connection is requested. */
        CONNECT,
        /** A statement is sent. */
        EXECUTE,
        /** A savepoint is set or released. */
        SAVEPOINT,
        /** The transaction is rolled back, wholly or to a savepoint. */
        ROLLBACK,
        /** The transaction is committed, by method or by an SQL text that ends in {@code commit}. */
        COMMIT,
        /** A delivery is acknowledged or released at the broker. */
        ACKNOWLEDGE
    }

    public Step {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(what, "what");
        Objects.requireNonNull(site, "site");
    }

    public boolean byHandler() {
        return site.startsWith(CallSites.HANDLER);
    }

    /** Whether two runs made the same call, regardless of its number. */
    public boolean isLike(Step other) {
        return kind == other.kind && what.equals(other.what) && commits == other.commits;
    }

    @Override
    public String toString() {
        return number + " " + kind + " \"" + what + "\" at " + site;
    }
}
