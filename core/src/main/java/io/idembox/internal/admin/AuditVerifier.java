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
 * Verifies operations one by one: consecutive numbers and matching seals. Each operation is checked against the stored
 * seal of the previous one, so a changed operation is reported itself, and not all operations after it. Pure. Not
 * thread-safe.
 */
final class AuditVerifier {

    private static final int MAX_FINDINGS = 1_000;

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
                found(Kind.CUT, head.number(), "two of the given heads have this number, but different seals");
            }
        }
    }

    /** The number of the last verified operation. */
    long last() {
        return last;
    }

    void verify(OperationRow.Sealed row) {
        OperationRow operationRow = row.operationRow();
        if (operationRow.number() != last + 1) {
            found(Kind.MISSING, last + 1, gap(last + 1, operationRow.number() - 1) + " missing");
        }
        checkSeal(row);
        String kept = heads.remove(operationRow.number());
        if (kept != null && !kept.equals(row.seal())) {
            found(
                    Kind.CUT,
                    operationRow.number(),
                    "the trail was rewritten: the head that was kept has a different seal");
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
                // Operations before the first key may be keyless; after it every operation must have a key.
                found(
                        Kind.UNSEALED,
                        operationRow.number(),
                        "it is sealed without a key, although earlier operations have one");
                return;
            }
        } else {
            key = keys.get(operationRow.key());
            if (key == null) {
                found(
                        Kind.KEY_UNKNOWN,
                        operationRow.number(),
                        "it is sealed with the key " + printable(operationRow.key())
                                + ", which was not provided; not verified");
                return;
            }
        }
        if (!AuditSeals.seal(key, before, operationRow).equals(row.seal())) {
            found(
                    Kind.CHANGED,
                    operationRow.number(),
                    "the operation " + printable(operationRow.id())
                            + ", or the one before it, differs from what was sealed");
        }
    }

    void end(OperationRow.Head end, long unsealed) {
        if (unsealed > 0) {
            found(Kind.UNSEALED, 0, unsealed + " operations are not part of the trail");
        }
        if (!keys.isEmpty() && checked > 0 && keyless == checked) {
            found(
                    Kind.UNSEALED,
                    0,
                    "a key was provided, but no operation is sealed with one: the key has not been used yet, or the"
                            + " whole trail was rewritten without it");
        }
        if (end.number() > last) {
            found(Kind.MISSING, last + 1, gap(last + 1, end.number()) + " missing");
        } else if (end.number() < last) {
            found(Kind.CUT, last, "the stored end of the trail is " + end.number());
        } else if (!end.seal().equals(before)) {
            found(Kind.CUT, last, "the stored end of the trail and its last operation have different seals");
        }
        heads.forEach((number, seal) -> {
            if (number > 0) {
                found(
                        Kind.CUT,
                        number,
                        "the trail ends at " + last + ", but a head with number " + number
                                + " was kept: operations were removed");
            }
        });
    }

    AuditReport report(AuditHead head) {
        return new AuditReport(checked, keyless, head, findings);
    }

    private static String gap(long from, long to) {
        return from == to ? "number " + from + " is" : "the numbers " + from + " to " + to + " are";
    }

    /** Replaces non-ASCII characters: a tampered value may contain anything. */
    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7e]", "?");
    }

    private void found(Kind kind, long number, String text) {
        if (findings.size() < MAX_FINDINGS) {
            findings.add(new AuditFinding(kind, number, text));
        }
    }
}
