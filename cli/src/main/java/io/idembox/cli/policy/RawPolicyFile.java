// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.policy;

import io.idembox.InboxConfigurationException;
import io.idembox.cli.call.FileErrorText;
import io.idembox.cli.output.Fields;
import io.idembox.policy.Policies;
import io.idembox.policy.yaml.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A valid policy file: the parsed policies and the raw YAML values. Immutable. */
final class RawPolicyFile {

    private static final String PLACEHOLDER_SECRET = "x".repeat(64);

    private final Policies policies;
    private final @Nullable Object root;

    private RawPolicyFile(Policies policies, @Nullable Object root) {
        this.policies = policies;
        this.root = root;
    }

    /** Reads the file as an application would; throws the same exception for an invalid file. */
    static RawPolicyFile read(Path file) {
        Policies policies = policiesOf(file);
        try {
            Object root = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file));
            return new RawPolicyFile(policies, root);
        } catch (IOException unreadable) {
            throw new InboxConfigurationException(
                    "The policies in " + file + " cannot be read: " + FileErrorText.reason(unreadable));
        }
    }

    /** Parses the file with a placeholder for every environment variable: a review needs no secrets. */
    static Policies policiesOf(Path file) {
        return PolicyFile.read(file, variable -> Optional.of(PLACEHOLDER_SECRET));
    }

    Policies policies() {
        return policies;
    }

    /** The raw value at a path; empty when absent. */
    Optional<Object> at(List<String> path) {
        Object found = root;
        for (String key : path) {
            found = found instanceof Map<?, ?> map ? map.get(key) : null;
        }
        return Optional.ofNullable(printable(found));
    }

    private static @Nullable Object printable(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            Fields fields = Fields.none();
            map.forEach((key, each) -> fields.and(String.valueOf(key), printable(each)));
            return fields;
        }
        return value instanceof List<?> all
                ? all.stream().map(RawPolicyFile::printable).toList()
                : value;
    }
}
