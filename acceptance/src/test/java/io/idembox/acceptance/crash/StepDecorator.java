// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Payload;
import io.idembox.internal.engine.StepStore;
import io.idembox.internal.engine.Transaction;
import java.util.Map;
import java.util.UUID;

/** The steps of the store, to be changed in one point. */
class StepDecorator implements StepStore {

    private final StepStore real;

    StepDecorator(StepStore real) {
        this.real = real;
    }

    @Override
    public Transaction begin() {
        return real.begin();
    }

    @Override
    public Map<String, Payload> finished(long arrival) {
        return real.finished(arrival);
    }

    @Override
    public boolean finish(Transaction tx, UUID token, Finished step) {
        return real.finish(tx, token, step);
    }
}
