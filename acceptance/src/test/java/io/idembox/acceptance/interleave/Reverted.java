// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import io.idembox.internal.admin.AuditStore;
import io.idembox.internal.engine.InboxStore;
import java.util.Arrays;
import java.util.List;

/** The engine as it is, or with the fix of one finding taken back. */
enum Reverted {
    NOTHING(List.of()),

    /** A message that is only held begins the sequence of its key, so the one in front of it is skipped. */
    C1(List.of(List.of("sequence", "create-index-ledger", "first-batch"))) {
        @Override
        InboxStore store(InboxStore real) {
            return HeldBegins.of(real);
        }
    },

    /** Arrival numbers are drawn before keys are locked, so a later message of a key may get a lower one. */
    C4(List.of(
            List.of("stored", "store-x", "store-batch", "store"),
            List.of("direct", "deliver-x", "deliver-batch", "deliver"))) {
        @Override
        InboxStore store(InboxStore real) {
            return NumbersFirst.of(real);
        }
    },

    /** Verification does not look again for what was recorded after it looked the first time. */
    C12(List.of(List.of("audit", "verify", "park"))) {
        @Override
        AuditStore trail(AuditStore real) {
            return new LookedOnce(real);
        }
    };

    private final List<List<String>> cases;

    Reverted(List<List<String>> cases) {
        this.cases = cases;
    }

    /** Those that have to be found. */
    static List<Reverted> fixes() {
        return Arrays.stream(values()).filter(each -> each != NOTHING).toList();
    }

    /** The operations that find it, each after the name of its fixture. */
    List<List<String>> cases() {
        return cases;
    }

    InboxStore store(InboxStore real) {
        return real;
    }

    AuditStore trail(AuditStore real) {
        return real;
    }
}
