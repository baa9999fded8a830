// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.Message;
import io.idembox.policy.ConsumerPolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Operations on shared data: a policy, messages, the state in which each case begins, and what may happen then. Not changed
 * after it was made.
 */
final class Fixture {

    /** The header with the sequence number. */
    static final String NUMBER = "number";

    private final String name;
    private final ConsumerPolicy policy;
    private final boolean stored;
    private final List<Message> messages = new ArrayList<>();
    private final Map<String, Task> tasks = new LinkedHashMap<>();
    private final List<List<Task>> triples = new ArrayList<>();
    private final Set<String> forgettable = new LinkedHashSet<>();
    private boolean replayed;
    private boolean sends;
    private Consumer<Case> setup = world -> {};

    private Fixture(String name, boolean stored, ConsumerPolicy policy) {
        this.name = name;
        this.stored = stored;
        this.policy = policy;
    }

    /** Deliveries are stored, and workers handle them. */
    static Fixture stored(String name, ConsumerPolicy policy) {
        return new Fixture(name, true, policy);
    }

    /** Deliveries are handled. */
    static Fixture direct(String name, ConsumerPolicy policy) {
        return new Fixture(name, false, policy);
    }

    /** A message of that key, or without one when it is empty; messages are sent in this order. */
    Fixture message(String id, String key) {
        Message message =
                Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}").from("/orders");
        messages.add(key.isEmpty() ? message : message.keyed(key));
        return this;
    }

    /** A message with a sequence number. */
    Fixture message(String id, String key, int number) {
        messages.add(Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}")
                .from("/orders")
                .keyed(key)
                .header(NUMBER, Integer.toString(number)));
        return this;
    }

    /** Purging may forget it, so its effect may be missing after a replay. */
    Fixture forgettable(String... ids) {
        forgettable.addAll(Arrays.asList(ids));
        return this;
    }

    /** When a case is over everything is replayed and checked again: a replay shows the order of arrival numbers. */
    Fixture replayedInTheEnd() {
        replayed = true;
        return this;
    }

    /** Handlers of messages whose ids begin with e send to an outbox. */
    Fixture sending() {
        sends = true;
        return this;
    }

    Fixture setup(Consumer<Case> state) {
        setup = state;
        return this;
    }

    Fixture task(Task... some) {
        for (Task task : some) {
            if (tasks.put(task.name(), task) != null) {
                throw new IllegalArgumentException("Twice: " + task);
            }
        }
        return this;
    }

    /** Three operations: the first two are stopped at each of their statements, the third runs. */
    Fixture triple(String first, String second, String third) {
        triples.add(List.of(named(first), named(second), named(third)));
        return this;
    }

    String name() {
        return name;
    }

    ConsumerPolicy policy() {
        return policy;
    }

    boolean isStored() {
        return stored;
    }

    boolean sends() {
        return sends;
    }

    boolean isReplayedInTheEnd() {
        return replayed;
    }

    List<Message> messages() {
        return List.copyOf(messages);
    }

    List<Task> tasks() {
        return List.copyOf(tasks.values());
    }

    /** All pairs, those of an operation with itself as well, and the triples. */
    List<List<Task>> pairsAndTriples() {
        List<List<Task>> some = new ArrayList<>();
        List<Task> all = tasks();
        for (int i = 0; i < all.size(); i++) {
            for (int j = i; j < all.size(); j++) {
                some.add(List.of(all.get(i), all.get(j)));
            }
        }
        some.addAll(triples);
        return some;
    }

    boolean mayForget(String id) {
        return forgettable.contains(id);
    }

    void setup(Case world) {
        setup.accept(world);
    }

    Task named(String task) {
        Task found = tasks.get(task);
        if (found == null) {
            throw new IllegalArgumentException(
                    "There is no operation " + task + " in " + name + "; there are " + tasks.keySet());
        }
        return found;
    }

    @Override
    public String toString() {
        return name;
    }
}
