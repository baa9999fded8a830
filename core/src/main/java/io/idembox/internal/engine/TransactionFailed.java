// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The transaction of a batch is over without a commit, or nobody knows. The kind says what may be done next. */
public final class TransactionFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What happened to the transaction. */
    public enum Kind {
        /** Somebody else holds a mark for longer than the front door waits: record row by row. */
        BUSY,
        /** Another transaction holds the outbox key of a message that is sent: run message by message. */
        OUTBOX_BUSY,
        /** Deadlock or serialisation failure: run the whole batch again, nobody pays. */
        CONTENDED,
        /** The thread was asked to stop while a handler ran: nothing is committed, nobody pays. */
        INTERRUPTED,
        /** The connection went away before the commit was sent: nothing is committed. */
        LOST,
        /** The connection went away during the commit: nothing is known. */
        UNKNOWN,
        /** The database refused the commit, for example because of a deferred constraint. */
        REFUSED,
        /**
         * The database does not have the number of a consumer or source that the batch uses: nothing is committed. Look the names up
         * ({@link InboxStore#prepare}) and run the batch again; no attempt is counted.
         */
        FORGOTTEN,
        /**
         * A source that the batch uses was not looked up before its transaction: nothing is committed. Look the names up and run the
         * batch again. One that is missing at each run is the handler's own: it sends under another source each time.
         */
        NOT_LOOKED_UP,
        /** The lease was gone before the commit, or an entry was not where it should be: somebody else has the work. */
        FENCED,
        /** The transaction is not the one that recorded the batch: a handler ended it. */
        TORN
    }

    private final Kind kind;
    private final transient @Nullable IncomingMessage culprit;
    private final @Nullable String inTheWay;

    public TransactionFailed(Kind kind, @Nullable Throwable cause) {
        this(kind, cause, null);
    }

    /** @param culprit whose handler was running; null when it was none, or nobody can tell */
    TransactionFailed(Kind kind, @Nullable Throwable cause, @Nullable IncomingMessage culprit) {
        this(kind, cause, culprit, null);
    }

    private TransactionFailed(
            Kind kind, @Nullable Throwable cause, @Nullable IncomingMessage culprit, @Nullable String inTheWay) {
        super(kind.name(), cause, false, false);
        this.kind = kind;
        this.culprit = culprit;
        this.inTheWay = inTheWay;
    }

    /** Somebody is in the way, and it is known who: in words, for people. */
    public static TransactionFailed busy(String inTheWay, @Nullable Throwable cause) {
        return new TransactionFailed(Kind.BUSY, cause, null, inTheWay);
    }

    /** Whether names have to be looked up ({@link InboxStore#prepare}) before the next try. */
    boolean needsNames() {
        return kind == Kind.FORGOTTEN || kind == Kind.NOT_LOOKED_UP;
    }

    public Kind kind() {
        return kind;
    }

    /** Who or what is in the way, in words; empty when nobody knows more than that somebody is. */
    public Optional<String> inTheWay() {
        return Optional.ofNullable(inTheWay);
    }

    @Nullable
    IncomingMessage culprit() {
        return culprit;
    }

    /** The same, with somebody to blame. */
    TransactionFailed blaming(@Nullable IncomingMessage newCulprit) {
        return new TransactionFailed(kind, getCause(), culprit == null ? newCulprit : culprit, inTheWay);
    }
}
