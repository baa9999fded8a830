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

/** Reads and checks the trail of operations. Thread-safe. */
public final class Trail implements AuditTrail {

    private static final int PAGE = 1_000;

    private final TrailStore rows;
    private final @Nullable AuditKey key;

    public Trail(TrailStore rows, @Nullable AuditKey key) {
        this.rows = rows;
        this.key = key;
    }

    @Override
    public List<AuditEntry> after(long number, int atMost) {
        if (atMost < 1 || atMost > PAGE) {
            throw new IllegalArgumentException("At most " + PAGE + " operations are read at a time, not " + atMost);
        }
        return rows.after(number, atMost).stream().map(Trail::entry).toList();
    }

    private static AuditEntry entry(TrailStore.Line line) {
        Sheet sheet = line.sealed().sheet();
        Remembered done = remembered(sheet);
        List<AuditEntry.Touched> touched = new ArrayList<>();
        done.treated()
                .forEach((arrival, treated) ->
                        touched.add(new AuditEntry.Touched(arrival, treated.result(), statusOf(treated.before()))));
        return new AuditEntry(
                sheet.number(),
                sheet.at(),
                Objects.requireNonNullElse(line.consumer(), "?"),
                done.command(),
                done.operation(),
                touched,
                sheet.key());
    }

    private static Remembered remembered(Sheet sheet) {
        try {
            return sheet.remembered();
        } catch (IllegalArgumentException senseless) {
            throw new IllegalArgumentException(
                    "The operation at number " + sheet.number()
                            + " of the trail is not as it was written, and cannot be read. verify(...) tells what is wrong.",
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

    private static AuditHead head(Sheet.Head head) {
        return new AuditHead(head.number(), head.seal());
    }

    @Override
    public AuditReport verify(Collection<AuditHead> heads, Collection<AuditKey> olderKeys) {
        List<AuditKey> keys = new ArrayList<>(olderKeys);
        if (key != null) {
            keys.add(key);
        }
        TrailCheck check = new TrailCheck(keys, heads);
        look(check);
        Sheet.Head end = rows.head();
        // Race: operations may commit after the rows were read and before the head is read. They are committed when the
        // head counts them, so a second read finds them; only what that read does not find is missing.
        while (end.number() > check.last() && look(check)) {
            end = rows.head();
        }
        check.end(end, rows.unsealed());
        return check.report(head(end));
    }

    /** Whether there was anything new. */
    private boolean look(TrailCheck check) {
        long begin = check.last();
        for (List<TrailStore.Line> page = next(check); !page.isEmpty(); page = next(check)) {
            page.forEach(line -> check.look(line.sealed()));
        }
        return check.last() > begin;
    }

    private List<TrailStore.Line> next(TrailCheck check) {
        return rows.after(check.last(), PAGE);
    }
}
