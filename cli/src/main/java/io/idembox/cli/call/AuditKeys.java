// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import io.idembox.audit.AuditKey;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the keys that seal operations, from a file or the environment. Never from the command line: shells keep
 * its history, and {@code ps} shows it to every user of the machine.
 */
public final class AuditKeys {

    static final String SECRET = "IDEMBOX_AUDIT_KEY";
    static final String NAME = "IDEMBOX_AUDIT_KEY_NAME";

    private AuditKeys() {}

    /** The current key, which the applications use too; empty when none is configured. */
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
                    SECRET + " is set but " + NAME + " is not. Set both: the key name is stored with each operation.");
        }
        return Optional.of(AuditKey.of(name, secret.getBytes(StandardCharsets.UTF_8)));
    }

    /** Parses {@code NAME=FILE}, such as {@code 2026=/run/secrets/idembox-audit}, and reads the key file. */
    public static AuditKey inFile(String option, String text) {
        int equals = text.indexOf('=');
        if (equals < 1 || equals == text.length() - 1) {
            // The argument is not repeated: it may be the secret itself.
            throw CommandException.usage(
                    option
                            + " must be NAME=FILE: a key name and the file that holds the key, such as 2026=/run/secrets/idembox-audit.");
        }
        return AuditKey.inFile(text.substring(0, equals), Path.of(text.substring(equals + 1)));
    }
}
