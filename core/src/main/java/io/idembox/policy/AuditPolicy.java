// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.audit.AuditKey;
import java.nio.charset.StandardCharsets;

/**
 * What operations of people are sealed with.
 *
 * @param keyName which key it is: kept with every operation, and a new key has a new one
 * @param key the key, at least 32 characters of a source of randomness; the same on all nodes
 */
public record AuditPolicy(String keyName, Secret key) {

    public AuditPolicy {
        PolicyCheck.that(
                keyName.matches("[A-Za-z0-9._-]{1,40}"),
                "audit.key-name must have 1 to 40 letters, digits, dots and hyphens: it is kept with what it seals");
        keyOf(keyName, key);
    }

    /** The same key as {@link AuditKey#inEnvironment} makes of the same word. */
    public AuditKey auditKey() {
        return keyOf(keyName, key);
    }

    private static AuditKey keyOf(String name, Secret secret) {
        return AuditKey.of(name, secret.reveal().strip().getBytes(StandardCharsets.UTF_8));
    }
}
