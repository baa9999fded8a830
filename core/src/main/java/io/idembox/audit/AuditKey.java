// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import io.idembox.InboxConfigurationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * The secret key that seals operations. It must not be in the database: with it an attacker could write a trail that
 * cannot be told from the real one. All nodes use the same key. A new key gets a new name, and the old one is kept for
 * verification. Immutable; {@link #toString} does not contain the secret.
 */
public final class AuditKey {

    private static final int SHORTEST = 32;

    private final String name;
    private final byte[] secret;

    private AuditKey(String name, byte[] secret) {
        this.name = Objects.requireNonNull(name, "name");
        this.secret = secret;
        if (!name.matches("[A-Za-z0-9._-]{1,40}")) {
            throw new InboxConfigurationException(
                    "The name of an audit key has 1 to 40 letters, digits, dots, underscores and hyphens; it is stored"
                            + " with every operation");
        }
        if (secret.length < SHORTEST) {
            throw new InboxConfigurationException("The audit key " + name + " has " + secret.length
                    + " bytes; it needs at least " + SHORTEST + " random bytes");
        }
    }

    /**
     * Creates a key.
     *
     * @param name identifies the key; stored with every operation
     * @param secret at least 32 bytes
     */
    public static AuditKey of(String name, byte[] secret) {
        return new AuditKey(name, secret.clone());
    }

    /** Reads the secret from a file, without surrounding white space. */
    public static AuditKey inFile(String name, Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
            return new AuditKey(name, text.getBytes(StandardCharsets.ISO_8859_1));
        } catch (IOException unreadable) {
            throw new InboxConfigurationException("Cannot read the audit key " + name + " from " + file, unreadable);
        }
    }

    /** Reads the secret from an environment variable. */
    public static AuditKey inEnvironment(String name, String variable) {
        String text = System.getenv(variable);
        if (text == null) {
            throw new InboxConfigurationException(
                    "Cannot read the audit key " + name + ": the environment variable " + variable + " is not set");
        }
        return new AuditKey(name, text.strip().getBytes(StandardCharsets.UTF_8));
    }

    public String name() {
        return name;
    }

    public byte[] secret() {
        return secret.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof AuditKey key && key.name.equals(name) && Arrays.equals(key.secret, secret);
    }

    @Override
    public int hashCode() {
        return name.hashCode();
    }

    @Override
    public String toString() {
        return "audit key " + name;
    }
}
