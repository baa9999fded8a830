// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.policy.Secret;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Takes secrets from the environment: {@code ${env:NAME}} stands for them, and for nothing else. Never says what they are. */
final class Placeholders {

    /** What is wrong with one that stands somewhere else. */
    static final String NO_SECRET = " is no secret, and placeholders are for secrets only";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{env:([A-Za-z_][A-Za-z0-9_]{0,199})}");

    private final Function<String, Optional<String>> environment;

    /** @param environment the values of variables, by name */
    Placeholders(Function<String, Optional<String>> environment) {
        this.environment = environment;
    }

    Secret secret(String text) {
        Matcher matcher = PLACEHOLDER.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "is a secret and must not stand in the file: put it into the environment, and write ${env:NAME} here");
        }
        String name = matcher.group(1);
        return environment
                .apply(name)
                .filter(value -> !value.isBlank())
                .map(Secret::of)
                .orElseThrow(
                        () -> new IllegalArgumentException("is not there: the environment has no variable " + name));
    }

    /** Whether there is one in a part of the file. */
    static boolean standIn(Element element) {
        if (element instanceof Element.Scalar scalar) {
            return standIn(scalar.text());
        }
        if (element instanceof Element.Items items) {
            return items.all().stream().anyMatch(Placeholders::standIn);
        }
        return element instanceof Element.Section section
                && section.entries().values().stream()
                        .anyMatch(entry -> standIn(entry.key()) || standIn(entry.value()));
    }

    static boolean standIn(String text) {
        return text.contains("${");
    }
}
