// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.guarantee;

import io.idembox.Message;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The observable result of a test: the messages sent and acknowledged, the effects found, and the messages that the
 * inbox keeps as failed or parked. Messages have names, by default their ids. Immutable.
 *
 * <pre>{@code
 * History history = History.builder()
 *         .sent(placed, paid)
 *         .acknowledged(harness.acknowledged())
 *         .effects(database.list("select order_id from charge order by charge_no"))
 *         .build();
 * new NothingLost().and(new HandledOnce()).check(history);
 * }</pre>
 */
public final class History {

    private final Map<String, Sent> sent;
    private final Set<String> acknowledged;
    private final List<String> effects;
    private final Set<String> kept;
    private final boolean afterLateDuplicates;

    private History(Builder builder) {
        this.sent = Collections.unmodifiableMap(new LinkedHashMap<>(builder.sent));
        this.acknowledged = Collections.unmodifiableSet(new LinkedHashSet<>(builder.acknowledged));
        this.effects = List.copyOf(builder.effects);
        this.kept = Collections.unmodifiableSet(new LinkedHashSet<>(builder.kept));
        this.afterLateDuplicates = builder.afterLateDuplicates;
    }

    /** One message that was sent. */
    private record Sent(@Nullable String source, @Nullable String key) {}

    public static Builder builder() {
        return new Builder();
    }

    /** Names of the messages in the order in which they were first sent. */
    public Set<String> sent() {
        return sent.keySet();
    }

    /** The key of a message that was sent, if it has one. */
    public Optional<String> keyOf(String name) {
        Sent message = sent.get(name);
        return message == null ? Optional.empty() : Optional.ofNullable(message.key);
    }

    /** Names of the acknowledged messages. */
    public Set<String> acknowledged() {
        return acknowledged;
    }

    /** One name per effect, in the order in which they happened. */
    public List<String> effects() {
        return effects;
    }

    /** Names of the messages that the inbox keeps for a later attempt or for an operator: failed, parked, refused. */
    public Set<String> kept() {
        return kept;
    }

    /** Whether all messages were delivered once more before the effects were read. */
    public boolean isAfterLateDuplicates() {
        return afterLateDuplicates;
    }

    /** One line of counts. */
    public String summary() {
        return "sent " + sent.size() + ", acknowledged " + acknowledged.size() + ", effects " + effects.size()
                + ", kept " + kept.size();
    }

    @Override
    public String toString() {
        return summary();
    }

    /** Collects the events of a test. Not thread-safe. */
    public static final class Builder {

        private final Map<String, Sent> sent = new LinkedHashMap<>();
        private final Set<String> acknowledged = new LinkedHashSet<>();
        private final List<String> effects = new ArrayList<>();
        private final Set<String> kept = new LinkedHashSet<>();
        private boolean afterLateDuplicates;

        private Builder() {}

        /** Adds messages in the order in which they were sent, named by their ids; adding one again changes nothing. */
        public Builder sent(Message... messages) {
            return sent(List.of(messages));
        }

        public Builder sent(Collection<Message> messages) {
            for (Message message : messages) {
                String name = nameOf(message);
                Sent before = sent.get(name);
                if (before != null && !Objects.equals(before.source, message.source())) {
                    throw new IllegalArgumentException("Two sources use the id " + name
                            + ". Give these messages names of their own: sent(name, key).");
                }
                sent.putIfAbsent(name, new Sent(message.source(), message.key().orElse(null)));
            }
            return this;
        }

        /** Adds a message under a name that the test chooses. */
        public Builder sent(String name, @Nullable String key) {
            sent.putIfAbsent(name, new Sent(null, key));
            return this;
        }

        public Builder acknowledged(Collection<Message> messages) {
            messages.forEach(message -> acknowledged.add(nameOf(message)));
            return this;
        }

        public Builder acknowledged(String name) {
            acknowledged.add(name);
            return this;
        }

        /** Adds effects in the order in which they happened, each by the name of its message. */
        public Builder effects(Collection<String> names) {
            effects.addAll(names);
            return this;
        }

        public Builder effect(String name) {
            effects.add(name);
            return this;
        }

        /** Adds a message that the inbox keeps: failed, parked or refused. */
        public Builder kept(String name) {
            kept.add(name);
            return this;
        }

        /** Records that all messages were delivered once more before the effects were read. */
        public Builder afterLateDuplicates() {
            afterLateDuplicates = true;
            return this;
        }

        public History build() {
            return new History(this);
        }

        private static String nameOf(Message message) {
            return message.id()
                    .orElseThrow(() -> new IllegalArgumentException(
                            message + " has no id to be named by. Give it a name of its own: sent(name, key)."));
        }
    }
}
