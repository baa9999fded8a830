// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.policy.AuditPolicy;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.PausePolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.Secret;
import io.idembox.policy.SequencePolicy;
import io.idembox.policy.Strategy;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The keys of a policy file: the components of the policy records, written with hyphens. Stateless.
 *
 * Left out are components that need code, and components that their record sets itself.
 */
final class Keys {

    /** Components that can be set only in code, by record. */
    private static final Map<Class<?>, Set<String>> ONLY_IN_CODE = Map.of(SequencePolicy.class, Set.of("refetch"));

    /**
     * Components that the enclosing record fixes, by record and section. Outgoing messages and intents are always
     * retried by the inbox; the sender of an intent reports what a failure means, not the type of an exception; and
     * each intent has its own lease.
     */
    private static final Map<Class<?>, Map<String, Set<String>>> FIXED = Map.of(
            OutboxPolicy.class, Map.of("retry", Set.of("by")),
            IntentPolicy.class, Map.of("retry", Set.of("by", "rules"), "work", Set.of("batch")));

    private static final Map<Class<?>, Defaults> DEFAULTS = Map.of(
            Policies.class, new Defaults(Policies.none(), Set.of()),
            AuditPolicy.class,
                    new Defaults(new AuditPolicy("unsaid", Secret.of("unsaid".repeat(6))), Set.of("keyName", "key")),
            ConsumerPolicy.class, new Defaults(ConsumerPolicy.defaults(), Set.of()),
            IntentPolicy.class, new Defaults(IntentPolicy.defaults(), Set.of()),
            OutboxPolicy.class, new Defaults(OutboxPolicy.defaults(), Set.of()),
            SequencePolicy.class, new Defaults(SequencePolicy.by(message -> Optional.empty()), Set.of("number")),
            PausePolicy.class,
                    new Defaults(PausePolicy.above(1, Duration.ofMinutes(1)), Set.of("failureRate", "pause")));

    private Keys() {}

    /**
     * The defaults of a section.
     *
     * @param required components without a default
     */
    record Defaults(Record record, Set<String> required) {}

    /** The defaults of an optional section. */
    static Defaults defaults(Class<?> type) {
        Defaults defaults = DEFAULTS.get(type);
        if (defaults == null) {
            throw new IllegalStateException("No defaults for " + type.getName());
        }
        return defaults;
    }

    /**
     * The values of a section before its keys are read: a strategy sets some of them. An unknown strategy sets none.
     */
    static Record start(Record model, Element.Section section) {
        Element.Entry said = section.entries().get("strategy");
        if (model instanceof ConsumerPolicy && said != null && said.value() instanceof Element.Scalar word) {
            return Arrays.stream(Strategy.values())
                    .filter(each -> Scalars.yamlName(each).equals(word.text()))
                    .findFirst()
                    .<Record>map(Strategy::keys)
                    .orElse(model);
        }
        return model;
    }

    /** The record and the key that contain a section. */
    record Enclosing(Class<?> above, String key) {}

    static List<RecordComponent> of(Class<?> type, Enclosing enclosing) {
        Set<String> decided = FIXED.getOrDefault(enclosing.above(), Map.of()).getOrDefault(enclosing.key(), Set.of());
        Set<String> code = ONLY_IN_CODE.getOrDefault(type, Set.of());
        return Arrays.stream(type.getRecordComponents())
                .filter(each -> !decided.contains(each.getName()) && !code.contains(each.getName()))
                .toList();
    }

    /** {@code maxAttempts} is {@code max-attempts}. */
    static String yamlKey(String component) {
        return component.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    static String yamlKey(RecordComponent component) {
        return yamlKey(component.getName());
    }
}
