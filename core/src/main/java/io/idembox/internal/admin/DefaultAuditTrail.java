// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.admin;

import io.idembox.admin.Status;
import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditHead;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditReport;
import io.idembox.audit.AuditTrail;
import io.idembox.internal.engine.EntryState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Default {@link AuditTrail}: reads and verifies stored operations. Thread-safe. */
public final class DefaultAuditTrail implements AuditTrail {

    private static final int PAGE = 1_000;

    private final AuditStore rows;
    private final @Nullable AuditKey key;

    public DefaultAuditTrail(AuditStore rows, @Nullable AuditKey key) {
        this.rows = rows;
        this.key = key;
    }

    @Override
    public List<AuditEntry> after(long number, int atMost) {
        if (atMost < 1 || atMost > PAGE) {
            throw new IllegalArgumentException("1 to " + PAGE + " operations can be read at a time; was " + atMost);
        }
        return rows.after(number, atMost).stream().map(DefaultAuditTrail::entry).toList();
    }

    private static AuditEntry entry(AuditStore.Line line) {
        OperationRow operationRow = line.sealed().operationRow();
        RecordedOperation done = decode(operationRow);
        List<AuditEntry.Touched> touched = new ArrayList<>();
        done.treatedMessage()
                .forEach((arrival, treatedMessage) -> touched.add(
                        new AuditEntry.Touched(arrival, treatedMessage.result(), statusOf(treatedMessage.before()))));
        return new AuditEntry(
                operationRow.number(),
                operationRow.at(),
                Objects.requireNonNullElse(line.consumer(), "?"),
                done.command(),
                done.operation(),
                touched,
                operationRow.key());
    }

    private static RecordedOperation decode(OperationRow operationRow) {
        try {
            return operationRow.decode();
        } catch (IllegalArgumentException senseless) {
            throw new IllegalArgumentException(
                    "Operation " + operationRow.number()
                            + " of the audit trail is corrupt and cannot be read. Run verify(...) for details.",
                    senseless);
        }
    }

    private static @Nullable Status statusOf(@Nullable EntryState state) {
        return state == null ? null : Status.valueOf(state.name());
    }

    @Override
    public AuditHead head() {
        return head(rows.head());
    }

    private static AuditHead head(OperationRow.Head head) {
        return new AuditHead(head.number(), head.seal());
    }

    @Override
    public AuditReport verify(Collection<AuditHead> heads, Collection<AuditKey> olderKeys) {
        List<AuditKey> keys = new ArrayList<>(olderKeys);
        if (key != null) {
            keys.add(key);
        }
        AuditVerifier check = new AuditVerifier(keys, heads);
        verifyNew(check);
        OperationRow.Head end = rows.head();
        // Race: operations may commit after the rows were read and before the head is read. They are committed when the
        // head counts them, so a second read finds them; only what that read does not find is missing.
        while (end.number() > check.last() && verifyNew(check)) {
            end = rows.head();
        }
        check.end(end, rows.unsealed());
        return check.report(head(end));
    }

    /** Verifies the remaining operations; returns whether there were any. */
    private boolean verifyNew(AuditVerifier check) {
        long begin = check.last();
        for (List<AuditStore.Line> page = next(check); !page.isEmpty(); page = next(check)) {
            page.forEach(line -> check.verify(line.sealed()));
        }
        return check.last() > begin;
    }

    private List<AuditStore.Line> next(AuditVerifier check) {
        return rows.after(check.last(), PAGE);
    }
}
