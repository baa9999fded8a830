// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

import io.idembox.audit.AuditKey;
import java.nio.charset.StandardCharsets;

/**
 * The key that seals operations of operators in the audit trail.
 *
 * @param keyName the name of the key, stored with every operation; a new key needs a new name
 * @param key the key, at least 32 random characters; the same on all nodes
 */
public record AuditPolicy(String keyName, Secret key) {

    public AuditPolicy {
        PolicyCheck.require(
                keyName.matches("[A-Za-z0-9._-]{1,40}"),
                "audit.key-name must have 1 to 40 letters, digits, dots, underscores or hyphens");
        keyOf(keyName, key);
    }

    /** Equal to the key that {@link AuditKey#inEnvironment} creates from the same secret. */
    public AuditKey auditKey() {
        return keyOf(keyName, key);
    }

    private static AuditKey keyOf(String name, Secret secret) {
        return AuditKey.of(name, secret.reveal().strip().getBytes(StandardCharsets.UTF_8));
    }
}
