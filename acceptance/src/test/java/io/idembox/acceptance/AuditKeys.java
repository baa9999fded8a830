// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.KeyCase.audit;

import io.idembox.Inbox;
import io.idembox.admin.Operation;
import io.idembox.audit.AuditKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** What operations of people are sealed with. */
final class AuditKeys {

    private AuditKeys() {}

    static List<KeyCase> all() {
        return List.of(
                audit("key-name")
                        .elsewhere("audit.key", "${env:ONE}")
                        .said("'2026'", "2026")
                        .said("'2027'", "2027")
                        .when(AuditKeys::sealedWith),
                audit("key")
                        .elsewhere("audit.key-name", "'2026'")
                        .said("${env:ONE}", "the first fits, the other does not")
                        .said("${env:OTHER}", "the first does not, the other fits")
                        .when(bench -> {
                            sealedWith(bench);
                            return "the first " + fits(bench, "ONE") + ", the other " + fits(bench, "OTHER");
                        }));
    }

    /** Somebody does something; the name of the key it is sealed with. */
    private static String sealedWith(PolicyBench bench) {
        try (Inbox inbox = bench.open()) {
            inbox.handle(PolicyBench.CONSUMER, DatabaseTest.message("m1"), context -> {});
            inbox.admin().pause(PolicyBench.CONSUMER, Operation.of("anna", "the bank is closed"));
            return inbox.audit().after(0, 10).stream()
                    .map(entry -> entry.sealedWithIfAny().orElse("nothing"))
                    .collect(Collectors.joining(" "));
        }
    }

    /** Whether what was done is found unharmed with a secret. */
    private static String fits(PolicyBench bench, String variable) {
        byte[] secret = PolicyBench.SECRETS.get(variable).getBytes(StandardCharsets.UTF_8);
        try (Inbox inbox = Inbox.on(bench.database.dataSource())
                .auditKey(AuditKey.of("2026", secret))
                .start()) {
            return inbox.audit().verify(List.of(), List.of()).isIntact() ? "fits" : "does not";
        }
    }
}
