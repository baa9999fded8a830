// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockWait;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes the fix of C4 back: keys are locked after messages were recorded, and so after arrival numbers were drawn. */
final class NumbersFirst {

    private final InboxStore real;
    private List<String> names = List.of();

    private NumbersFirst(InboxStore real) {
        this.real = real;
    }

    static InboxStore of(InboxStore real) {
        NumbersFirst reverted = new NumbersFirst(real);
        return Decorated.of(InboxStore.class, real, (method, args, call) -> switch (method) {
            case "keys" -> reverted.keys();
            case "insert", "insertSingly" -> {
                Object inserted = call.proceed();
                reverted.lock((Transaction) args[0], (RegisteredConsumer) args[1]);
                yield inserted;
            }
            default -> call.proceed();
        });
    }

    private KeyStore keys() {
        return Decorated.of(
                KeyStore.class,
                real.keys(),
                (method, args, call) -> method.equals("lockBeforeRecording") ? look(args) : call.proceed());
    }

    /** Looks at the keys in a transaction of its own, which ends at once. */
    private Map<?, ?> look(@Nullable Object[] args) {
        names = ((Collection<?>) args[2]).stream().map(String.class::cast).toList();
        try (Transaction aside = real.begin()) {
            Map<?, ?> seen =
                    real.keys().lockBeforeRecording(aside, (RegisteredConsumer) args[1], names, (LockWait) args[3]);
            aside.commit();
            return seen;
        }
    }

    private void lock(Transaction tx, RegisteredConsumer consumer) {
        if (!names.isEmpty()) {
            real.keys().lock(tx, consumer, names, LockWait.TOGETHER);
        }
    }
}
