// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.audit.AuditFinding;
import io.idembox.audit.AuditFinding.Kind;
import io.idembox.audit.AuditHead;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditReport;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks operations one after another: numbers without gaps, and seals that fit. Whoever has changed one operation is found at that
 * one and not at all that follow: each is checked against the seal that stands before it. Pure. Not thread-safe.
 */
final class AuditVerifier {

    private static final int MOST = 1_000;

    private final Map<String, AuditKey> keys = new HashMap<>();
    private final Map<Long, String> heads = new HashMap<>();
    private final List<AuditFinding> findings = new ArrayList<>();
    private long last;
    private String before = "";
    private long checked;
    private long keyless;

    AuditVerifier(Collection<AuditKey> keys, Collection<AuditHead> heads) {
        keys.forEach(key -> this.keys.put(key.name(), key));
        for (AuditHead head : heads) {
            String other = this.heads.put(head.number(), head.seal());
            if (other != null && !other.equals(head.seal())) {
                found(Kind.CUT, head.number(), "two heads of that number were kept, with different seals");
            }
        }
    }

    /** The number of the operation that was looked at last. */
    long last() {
        return last;
    }

    void look(OperationRow.Sealed row) {
        OperationRow operationRow = row.operationRow();
        if (operationRow.number() != last + 1) {
            found(Kind.MISSING, last + 1, gap(last + 1, operationRow.number() - 1) + " not there any more");
        }
        checkSeal(row);
        String kept = heads.remove(operationRow.number());
        if (kept != null && !kept.equals(row.seal())) {
            found(
                    Kind.CUT,
                    operationRow.number(),
                    "the trail was written anew: the head that was kept has another seal");
        }
        last = operationRow.number();
        before = row.seal();
        checked++;
    }

    private void checkSeal(OperationRow.Sealed row) {
        OperationRow operationRow = row.operationRow();
        AuditKey key = null;
        if (operationRow.key() == null) {
            keyless++;
            if (!keys.isEmpty() && checked > keyless - 1) {
                // Before the first key there was none; after it nobody has a reason to do without.
                found(
                        Kind.UNSEALED,
                        operationRow.number(),
                        "it is sealed without a key, although there was one before");
                return;
            }
        } else {
            key = keys.get(operationRow.key());
            if (key == null) {
                found(
                        Kind.KEY_UNKNOWN,
                        operationRow.number(),
                        "it is sealed with the key " + printable(operationRow.key()) + ", which was not given");
                return;
            }
        }
        if (!AuditSeals.seal(key, before, operationRow).equals(row.seal())) {
            found(
                    Kind.CHANGED,
                    operationRow.number(),
                    "the operation " + printable(operationRow.id()) + ", or the one before it, is not what was sealed");
        }
    }

    void end(OperationRow.Head end, long unsealed) {
        if (unsealed > 0) {
            found(Kind.UNSEALED, 0, unsealed + " operations have no place in the trail");
        }
        if (!keys.isEmpty() && checked > 0 && keyless == checked) {
            found(
                    Kind.UNSEALED,
                    0,
                    "a key was given, and no operation is sealed with one: nobody has used it yet, or all were written anew"
                            + " without it");
        }
        if (end.number() > last) {
            found(Kind.MISSING, last + 1, gap(last + 1, end.number()) + " not there any more");
        } else if (end.number() < last) {
            found(Kind.CUT, last, "the end of the trail is said to be " + end.number());
        } else if (!end.seal().equals(before)) {
            found(Kind.CUT, last, "the end of the trail has another seal than its last operation");
        }
        heads.forEach((number, seal) -> {
            if (number > 0) {
                found(Kind.CUT, number, "the trail ends at " + last + ", and a head of " + number + " was kept");
            }
        });
    }

    AuditReport report(AuditHead head) {
        return new AuditReport(checked, keyless, head, findings);
    }

    private static String gap(long from, long to) {
        return from == to ? "number " + from + " is" : "the numbers " + from + " to " + to + " are";
    }

    /** What was tampered with may be anything. */
    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }

    private void found(Kind kind, long number, String text) {
        if (findings.size() < MOST) {
            findings.add(new AuditFinding(kind, number, text));
        }
    }
}
