// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import io.idembox.InboxConfigurationException;
import io.idembox.policy.Policies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads policies from YAML. Unknown keys, invalid values and files that are not plain YAML are refused with their line
 * number; keys that are not set have their default. {@code docs/configuration.md} lists all keys.
 *
 * <pre>{@code
 * consumers:
 *   billing:
 *     mode: stored
 *     retry: { max-attempts: 5, by: inbox }
 *     retention: { ledger: 30d }
 * }</pre>
 *
 * <p>Only secrets are read from the environment: {@code ${env:NAME}}.
 */
public final class PolicyFile {

    private static final int MAX_BYTES = 4 * YamlDocument.MAX_CHARACTERS;

    private PolicyFile() {}

    /**
     * Reads the policies of a file.
     *
     * @throws PolicyFileException when the file has errors
     * @throws InboxConfigurationException when it cannot be read
     */
    public static Policies read(Path file) {
        return read(file, PolicyFile::variable);
    }

    /** The same with another environment: the values of variables, by name. */
    public static Policies read(Path file, Function<String, Optional<String>> environment) {
        return read(String.valueOf(file.getFileName()), textOf(file), environment);
    }

    /**
     * Reads the policies of a text.
     *
     * @param name the name of the file, for error messages
     * @throws PolicyFileException when the text has errors
     */
    public static Policies read(String name, String yaml) {
        return read(name, yaml, PolicyFile::variable);
    }

    /** The same with another environment: the values of variables, by name. */
    public static Policies read(String name, String yaml, Function<String, Optional<String>> environment) {
        RecordReader reader = new RecordReader(new Placeholders(environment));
        Policies policies;
        try {
            Optional<Element> root = YamlDocument.read(yaml);
            policies = root.isEmpty() ? Policies.none() : reader.read(root.get());
        } catch (YamlDocument.Refused refused) {
            throw new PolicyFileException(name, List.of(refused.problem()));
        }
        if (!reader.problems().isEmpty()) {
            throw new PolicyFileException(name, reader.problems());
        }
        return policies;
    }

    private static Optional<String> variable(String name) {
        return Optional.ofNullable(System.getenv(name));
    }

    private static String textOf(Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new PolicyFileException(
                        String.valueOf(file.getFileName()),
                        List.of(new Problem(
                                0, "the file has " + Files.size(file) + " bytes; the maximum is " + MAX_BYTES)));
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(Files.readAllBytes(file)))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new PolicyFileException(
                    String.valueOf(file.getFileName()), List.of(new Problem(0, "the file is not UTF-8 text")));
        } catch (IOException unreadable) {
            throw new InboxConfigurationException("Cannot read the policy file " + file + ": "
                    + (unreadable instanceof NoSuchFileException ? "file not found." : unreadable));
        }
    }
}
