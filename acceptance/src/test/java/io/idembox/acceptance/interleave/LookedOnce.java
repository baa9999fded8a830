// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.internal.admin.Sheet;
import io.idembox.internal.admin.TrailStore;
import java.util.List;

/** Takes the fix of C12 back: when the first look at the trail found nothing, there is no second one. */
final class LookedOnce implements TrailStore {

    private final TrailStore real;
    private boolean foundNothing;

    LookedOnce(TrailStore real) {
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
    public Sheet.Head head() {
        return real.head();
    }

    @Override
    public long unsealed() {
        return real.unsealed();
    }
}
