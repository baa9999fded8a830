// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.internal.engine.InboxStore;
import io.idembox.internal.engine.KeyStore;
import io.idembox.internal.engine.LockedKey;
import io.idembox.internal.engine.MessageResult;
import io.idembox.internal.engine.RegisteredConsumer;
import io.idembox.internal.engine.Transaction;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Takes the fix of C1 back: a message that is given back begins the sequence of its key. */
final class HeldBegins {

    private final InboxStore real;
    private final Map<String, LockedKey> locks = new ConcurrentHashMap<>();

    private HeldBegins(InboxStore real) {
        this.real = real;
    }

    static InboxStore of(InboxStore real) {
        HeldBegins reverted = new HeldBegins(real);
        return Decorated.of(InboxStore.class, real, (method, args, call) -> switch (method) {
            case "keys" -> reverted.keys();
            case "settle" -> {
                Object nothing = call.proceed();
                reverted.begin((Transaction) args[0], (RegisteredConsumer) args[1], endings(args[2]));
                yield nothing;
            }
            default -> call.proceed();
        });
    }

    private KeyStore keys() {
        return Decorated.of(KeyStore.class, real.keys(), (method, args, call) -> {
            Object answer = call.proceed();
            if (method.equals("lockBeforeRecording")) {
                locks.clear();
                ((Map<?, ?>) answer).forEach((name, lock) -> locks.put((String) name, (LockedKey) lock));
            }
            return answer;
        });
    }

    private void begin(Transaction tx, RegisteredConsumer consumer, List<MessageResult> results) {
        for (MessageResult result : results) {
            String key = result.recorded().incoming().key();
            Long number = result.recorded().incoming().sequenceNumber();
            LockedKey lock = key == null ? null : locks.get(key);
            if (result.kind() == MessageResult.Kind.HELD && number != null && lock != null && lock.position() == null) {
                real.sequences().advance(tx, consumer, 0, Map.of(lock.number(), number - 1));
            }
        }
    }

    private static List<MessageResult> endings(Object given) {
        return ((List<?>) given).stream().map(MessageResult.class::cast).toList();
    }
}
