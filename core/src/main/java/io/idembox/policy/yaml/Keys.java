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
 * Which keys there are: the components of the records, written with hyphens. Pure.
 *
 * <p>The few that a file cannot say are left out: what needs code, and what a record decides itself.
 */
final class Keys {

    /** What is not said in a file, by record and component. */
    private static final Map<Class<?>, Set<String>> ONLY_IN_CODE = Map.of(SequencePolicy.class, Set.of("refetch"));

    /**
     * What is decided elsewhere, by the record above: section and key. Who tries again what was sent or intended is the inbox itself;
     * what an intent's failure means is said by its sender, not by the type of an exception; and each intent has a lease of its own.
     */
    private static final Map<Class<?>, Map<String, Set<String>>> DECIDED = Map.of(
            OutboxPolicy.class, Map.of("retry", Set.of("by")),
            IntentPolicy.class, Map.of("retry", Set.of("by", "rules"), "work", Set.of("batch")));

    private static final Map<Class<?>, Model> MODELS = Map.of(
            Policies.class, new Model(Policies.none(), Set.of()),
            AuditPolicy.class,
                    new Model(new AuditPolicy("unsaid", Secret.of("unsaid".repeat(6))), Set.of("keyName", "key")),
            ConsumerPolicy.class, new Model(ConsumerPolicy.defaults(), Set.of()),
            IntentPolicy.class, new Model(IntentPolicy.defaults(), Set.of()),
            OutboxPolicy.class, new Model(OutboxPolicy.defaults(), Set.of()),
            SequencePolicy.class, new Model(SequencePolicy.by(message -> Optional.empty()), Set.of("number")),
            PausePolicy.class, new Model(PausePolicy.above(1, Duration.ofMinutes(1)), Set.of("failureRate", "pause")));

    private Keys() {}

    /**
     * What a section is when nothing is said in it.
     *
     * @param required components that have to be said
     */
    record Model(Record record, Set<String> required) {}

    /** The model of a record that is not there unless it is said. */
    static Model model(Class<?> type) {
        Model model = MODELS.get(type);
        if (model == null) {
            throw new IllegalStateException("There is no model of " + type.getName());
        }
        return model;
    }

    /** What counts in a section before its keys are read: a strategy sets some of them. One that nobody knows sets none. */
    static Record start(Record model, Element.Section section) {
        Element.Entry said = section.entries().get("strategy");
        if (model instanceof ConsumerPolicy && said != null && said.value() instanceof Element.Scalar word) {
            return Arrays.stream(Strategy.values())
                    .filter(each -> Scalars.written(each).equals(word.text()))
                    .findFirst()
                    .<Record>map(Strategy::keys)
                    .orElse(model);
        }
        return model;
    }

    /** The record and the key that a section stands in. */
    record Within(Class<?> above, String key) {}

    static List<RecordComponent> of(Class<?> type, Within within) {
        Set<String> decided = DECIDED.getOrDefault(within.above(), Map.of()).getOrDefault(within.key(), Set.of());
        Set<String> code = ONLY_IN_CODE.getOrDefault(type, Set.of());
        return Arrays.stream(type.getRecordComponents())
                .filter(each -> !decided.contains(each.getName()) && !code.contains(each.getName()))
                .toList();
    }

    /** {@code maxAttempts} is {@code max-attempts}. */
    static String written(String component) {
        return component.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
    }

    static String written(RecordComponent component) {
        return written(component.getName());
    }
}
