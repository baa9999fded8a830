// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of the numbers of sources. Recently used names stay: when the younger half is full, the older half is dropped, so a
 * name stays cached while fewer than half the capacity of other names are used in between. Thread-safe.
 */
final class NameCache {

    private final int half;
    private volatile Map<String, Integer> young = new ConcurrentHashMap<>();
    private volatile Map<String, Integer> old = new ConcurrentHashMap<>();

    NameCache(int half) {
        this.half = half;
    }

    @Nullable
    Integer find(String name) {
        Integer number = young.get(name);
        if (number == null) {
            number = old.get(name);
            if (number != null) {
                remember(name, number);
            }
        }
        return number;
    }

    boolean contains(String name) {
        return find(name) != null;
    }

    synchronized void remember(String name, int number) {
        if (young.size() >= half) {
            old = young;
            young = new ConcurrentHashMap<>();
        }
        young.put(name, number);
    }

    synchronized void forget(String name) {
        young.remove(name);
        old.remove(name);
    }
}
