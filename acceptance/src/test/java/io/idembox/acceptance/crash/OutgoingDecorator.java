// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.engine.NewLedgerRow;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the store knows of sending, to be changed in one point. */
class OutgoingDecorator implements OutgoingStore {

    private final OutgoingStore real;

    OutgoingDecorator(OutgoingStore real) {
        this.real = real;
    }

    @Override
    public void checkLookedUp(Collection<String> sources) {
        real.checkLookedUp(sources);
    }

    @Override
    public Set<Long> send(
            Transaction tx, RegisteredConsumer destination, List<NewLedgerRow> rows, Map<Integer, Long> causes) {
        return real.send(TransactionDecorator.realOf(tx), destination, rows, causes);
    }

    @Override
    public void resend(Transaction tx, RegisteredConsumer destination, List<Long> causes) {
        real.resend(TransactionDecorator.realOf(tx), destination, causes);
    }

    @Override
    public Optional<Tries> tries(RegisteredConsumer consumer, long arrival) {
        return real.tries(consumer, arrival);
    }
}
