// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.connection.TransactionSettings;
import io.idembox.internal.engine.Transaction;
import java.sql.Connection;

/** The real transaction, to be broken in one place. */
class TransactionDecorator implements Transaction {

    private final Transaction real;

    TransactionDecorator(Transaction real) {
        this.real = real;
    }

    static Transaction realOf(Transaction tx) {
        return tx instanceof TransactionDecorator decorated ? decorated.real : tx;
    }

    @Override
    public Connection connection() {
        return real.connection();
    }

    @Override
    public TransactionSettings settings() {
        return real.settings();
    }

    @Override
    public boolean isGone() {
        return real.isGone();
    }

    @Override
    public void saveBatch() {
        real.saveBatch();
    }

    @Override
    public void rollbackToBatch() {
        real.rollbackToBatch();
    }

    @Override
    public void saveMessage() {
        real.saveMessage();
    }

    @Override
    public void rollbackToMessage() {
        real.rollbackToMessage();
    }

    @Override
    public void releaseMessage() {
        real.releaseMessage();
    }

    @Override
    public void checkDeferredConstraints() {
        real.checkDeferredConstraints();
    }

    @Override
    public void proveAndCommit() {
        real.proveAndCommit();
    }

    @Override
    public void commit() {
        real.commit();
    }

    @Override
    public void close() {
        real.close();
    }
}
