// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import java.util.List;

/**
 * The result of verifying the audit trail.
 *
 * @param checked how many operations were verified
 * @param keyless how many of them were sealed without a key: any user who can write operations can seal those
 * @param findings empty when the trail is intact; at most the first thousand
 */
public record AuditReport(long checked, long keyless, AuditHead head, List<AuditFinding> findings) {

    public AuditReport {
        findings = List.copyOf(findings);
    }

    public boolean isIntact() {
        return findings.isEmpty();
    }
}
