// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The provider's charges and keys. A key is claimed by its first request and has an answer when the charge is made;
 * between the two it is in progress. Thread-safe.
 */
final class ChargeLedger {

    /** The state of a key when a request arrives. */
    enum KeyState {
        NEW,
        IN_PROGRESS,
        ANSWERED,
        OTHER_ORDER
    }

    private final boolean honoursKeys;
    private final @Nullable Duration keyLifetime;
    private final InstantSource clock;
    private final List<Charge> charges = new ArrayList<>();
    private final Map<String, Known> keys = new HashMap<>();
    private int open;

    /** A key, the request that first used it, and its charge when there is one. */
    private static final class Known {
        private final ChargeRequest chargeRequest;
        private final Instant since;
        private @Nullable Charge charge;

        Known(ChargeRequest chargeRequest, Instant since) {
            this.chargeRequest = chargeRequest;
            this.since = since;
        }
    }

    ChargeLedger(boolean honoursKeys, @Nullable Duration keyLifetime, InstantSource clock) {
        this.honoursKeys = honoursKeys;
        this.keyLifetime = keyLifetime;
        this.clock = clock;
    }

    /** Claims the key, unless it is known. A NEW request must be {@link #book}ed. */
    synchronized KeyState claim(@Nullable String key, ChargeRequest chargeRequest) {
        Known known = known(key);
        if (known != null && honoursKeys) {
            if (!known.chargeRequest.equals(chargeRequest)) {
                return KeyState.OTHER_ORDER;
            }
            return known.charge == null ? KeyState.IN_PROGRESS : KeyState.ANSWERED;
        }
        if (key != null && known == null) {
            keys.put(key, new Known(chargeRequest, clock.instant()));
        }
        open++;
        notifyAll();
        return KeyState.NEW;
    }

    synchronized Charge book(@Nullable String key, ChargeRequest chargeRequest) {
        Charge charge = new Charge(
                "ch_" + (charges.size() + 1), key, chargeRequest.account(), chargeRequest.cents(), clock.instant());
        charges.add(charge);
        Known known = key == null ? null : keys.get(key);
        if (known != null && known.charge == null) {
            known.charge = charge;
        }
        open--;
        notifyAll();
        return charge;
    }

    /** The charge made with a key that the provider still knows. */
    synchronized Optional<Charge> find(String key) {
        Known known = known(key);
        return known == null ? Optional.empty() : Optional.ofNullable(known.charge);
    }

    private @Nullable Known known(@Nullable String key) {
        Known known = key == null ? null : keys.get(key);
        if (known != null
                && known.charge != null
                && keyLifetime != null
                && !clock.instant().isBefore(known.since.plus(keyLifetime))) {
            keys.remove(key);
            return null;
        }
        return known;
    }

    synchronized List<Charge> charges() {
        return List.copyOf(charges);
    }

    /** Keys with more than one charge, in the order of their first charge. */
    synchronized Map<String, List<Charge>> doubled() {
        Map<String, List<Charge>> byKey = new LinkedHashMap<>();
        for (Charge charge : charges) {
            if (charge.key() != null) {
                byKey.computeIfAbsent(charge.key(), key -> new ArrayList<>()).add(charge);
            }
        }
        byKey.values().removeIf(same -> same.size() < 2);
        return byKey;
    }

    synchronized int inProgress() {
        return open;
    }

    /** Waits until this many charges are in progress. Returns false on timeout. */
    synchronized boolean awaitInProgress(int count, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (open != count) {
            long left = (end - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return false;
            }
            wait(left);
        }
        return true;
    }
}
