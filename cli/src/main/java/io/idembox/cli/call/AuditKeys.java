// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.audit.AuditKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What operations are sealed with: from a file or the environment, never from the command line, which is kept by shells and seen by
 * everybody on the machine.
 */
public final class AuditKeys {

    static final String SECRET = "IDEMBOX_AUDIT_KEY";
    static final String NAME = "IDEMBOX_AUDIT_KEY_NAME";

    private AuditKeys() {}

    /** The one that applications use now; empty when none was given. */
    static Optional<AuditKey> current(GlobalOptions options, Map<String, String> environment) {
        if (options.auditKeyFile != null) {
            return Optional.of(inFile("--audit-key-file", options.auditKeyFile));
        }
        String secret = environment.getOrDefault(SECRET, "").strip();
        if (secret.isEmpty()) {
            return Optional.empty();
        }
        String name = environment.getOrDefault(NAME, "");
        if (name.isEmpty()) {
            throw CommandException.usage(
                    SECRET + " is set, and " + NAME + " is not: the name of a key is kept with what it seals.");
        }
        return Optional.of(AuditKey.of(name, secret.getBytes(StandardCharsets.UTF_8)));
    }

    /** {@code 2026=/run/secrets/idembox-audit}: the name of a key, and the file it is in. */
    public static AuditKey inFile(String option, String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            // What was typed is not repeated: it may be the secret itself.
            throw CommandException.usage(option
                    + " takes the name of a key and the file it is in, such as 2026=/run/secrets/idembox-audit.");
        }
        return AuditKey.inFile(text.substring(0, equals), Path.of(text.substring(equals + 1)));
    }
}
