// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.policy.Secret;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Resolves {@code ${env:NAME}} to secrets from the environment. Only secrets may be placeholders. Never logs or reports
 * their values.
 */
final class Placeholders {

    /** The error for a placeholder in another value. */
    static final String NOT_A_SECRET = " is not a secret, and placeholders are for secrets only";

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
                    "is a secret and must not be in the file: put it into the environment and write ${env:NAME} here");
        }
        String name = matcher.group(1);
        return environment
                .apply(name)
                .filter(value -> !value.isBlank())
                .map(Secret::of)
                .orElseThrow(() -> new IllegalArgumentException("is not set: the environment has no variable " + name));
    }

    /** Whether a part of the file contains a placeholder. */
    static boolean containsPlaceholder(Element element) {
        if (element instanceof Element.Scalar scalar) {
            return containsPlaceholder(scalar.text());
        }
        if (element instanceof Element.Items items) {
            return items.all().stream().anyMatch(Placeholders::containsPlaceholder);
        }
        return element instanceof Element.Section section
                && section.entries().values().stream()
                        .anyMatch(entry -> containsPlaceholder(entry.key()) || containsPlaceholder(entry.value()));
    }

    static boolean containsPlaceholder(String text) {
        return text.contains("${");
    }
}
