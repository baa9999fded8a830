// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.internal.admin.AuditStore;
import io.idembox.internal.admin.OperationRow;
import java.util.List;

/** Takes the fix of C12 back: when the first look at the trail found nothing, there is no second one. */
final class LookedOnce implements AuditStore {

    private final AuditStore real;
    private boolean foundNothing;

    LookedOnce(AuditStore real) {
        this.real = real;
    }

    @Override
    public List<Line> after(long number, int atMost) {
        if (foundNothing) {
            return List.of();
        }
        List<Line> lines = real.after(number, atMost);
        foundNothing = number == 0 && lines.isEmpty();
        return lines;
    }

    @Override
    public OperationRow.Head head() {
        return real.head();
    }

    @Override
    public long unsealed() {
        return real.unsealed();
    }
}
