// SPDX-License-Identifier: Apache-2.0
package io.idembox.audit;

import java.util.List;

/**
 * What came of checking the trail.
 *
 * @param checked how many operations were looked at
 * @param keyless how many of them were sealed without a key: whoever could write them could seal them as well
 * @param findings what is wrong; empty when all is as it was written. Of very many, the first thousand
 */
public record AuditReport(long checked, long keyless, AuditHead head, List<AuditFinding> findings) {

    public AuditReport {
        findings = List.copyOf(findings);
    }

    public boolean isIntact() {
        return findings.isEmpty();
    }
}
