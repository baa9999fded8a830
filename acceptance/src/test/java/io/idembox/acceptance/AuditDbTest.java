// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditFinding;
import io.idembox.audit.AuditHead;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditReport;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.FaultyDataSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What people did is sealed: whoever changes the past is found out. */
class AuditDbTest extends DatabaseTest {

    private static final AuditKey KEY = AuditKey.of("2026", "0123456789abcdef0123456789abcdef".getBytes(UTF_8));
    private static final int TAMPERINGS = 500; // on each of the two databases

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.auditKey(KEY);
    }

    private List<MessageRef> parked(String... ids) {
        var billing = inbox.subscribe("billing").on("OrderPlaced", String.class, (text, context) -> {
            throw HandlerException.park("look at it");
        });
        for (String id : ids) {
            billing.handle(message(id));
        }
        return inbox.admin().preview(Filter.of("billing"), 100).refs();
    }

    /** Some operations, of all kinds and by several people. */
    private void live(int operations) {
        List<MessageRef> first = parked("a", "b", "c");
        inbox.admin().pause("billing", new Operation("op-1", "anna", "lunch"));
        inbox.admin().discard(first.subList(0, 1), new Operation("op-2", "bob", "a test").as("operator"));
        inbox.admin()
                .redrive(first.subList(1, 3), new Operation("op-3", "anna", "again").selectedBy("consumer=billing"));
        for (int n = 4; n <= operations; n++) {
            if (n % 2 == 0) {
                inbox.admin().resume("billing", new Operation("op-" + n, "carl", "back " + n));
            } else {
                inbox.admin().pause("billing", new Operation("op-" + n, "carl", "away " + n));
            }
        }
    }

    private AuditReport verify(AuditHead... heads) {
        return inbox.audit().verify(List.of(heads), List.of());
    }

    @Test
    void theTrailSaysWhoDidWhatToWhichMessageAndWhy() {
        live(4);

        List<AuditEntry> all = inbox.audit().after(0, 100);
        assertThat(all).extracting(AuditEntry::number).containsExactly(1L, 2L, 3L, 4L);
        assertThat(all)
                .extracting(AuditEntry::command)
                .containsExactly(Command.PAUSE, Command.DISCARD, Command.REDRIVE, Command.RESUME);
        AuditEntry discard = all.get(1);
        assertThat(discard.operation()).isEqualTo(new Operation("op-2", "bob", "operator", "a test", null));
        assertThat(discard.consumer()).isEqualTo("billing");
        assertThat(discard.sealedWith()).isEqualTo("2026");
        assertThat(discard.touched()).extracting(AuditEntry.Touched::before).containsExactly(Status.PARKED);
        assertThat(all.get(2).operation().filter()).isEqualTo("consumer=billing");
        assertThat(all.get(2).done()).isEqualTo(2);
        assertThat(inbox.audit().after(3, 100)).hasSize(1);

        AuditReport report = verify();
        assertThat(report.findings()).isEmpty();
        assertThat(report.checked()).isEqualTo(4);
        assertThat(report.keyless()).isZero();
        assertThat(verify(report.head()).isIntact()).isTrue();
    }

    /** The same operation again is answered, not done, and so it is not written again. */
    @Test
    void whatIsAskedForAgainIsInTheTrailOnce() {
        live(3);
        inbox.admin().pause("billing", new Operation("op-1", "anna", "lunch"));

        assertThat(inbox.audit().after(0, 100)).hasSize(3);
        assertThat(verify().isIntact()).isTrue();
    }

    @Test
    void anotherKeyOrNoneIsToldFromTheRightOne() {
        live(3);
        try (Inbox other = builder()
                .auditKey(AuditKey.of("2026", "another secret of more than thirty-two bytes".getBytes(UTF_8)))
                .start()) {
            assertThat(other.audit().verify(List.of(), List.of()).findings())
                    .extracting(AuditFinding::kind)
                    .containsOnly(AuditFinding.Kind.CHANGED);
        }
        try (Inbox none = builder().start()) {
            assertThat(none.audit().verify(List.of(), List.of()).findings())
                    .extracting(AuditFinding::kind)
                    .containsOnly(AuditFinding.Kind.KEY_UNKNOWN);
            assertThat(none.audit().verify(List.of(), List.of(KEY)).isIntact()).isTrue();
            none.admin().resume("billing", new Operation("op-9", "anna", "without a key"));
        }
        assertThat(verify().findings()).extracting(AuditFinding::kind).containsExactly(AuditFinding.Kind.UNSEALED);
    }

    /** As if whoever can write the table had sealed everything anew, with the plain hash that needs no key. */
    @Test
    void aTrailThatNobodySealedWithTheKeyIsFound() {
        try (Inbox none = builder().start()) {
            none.handle("billing", message("m1"), context -> {});
            none.admin().pause("billing", new Operation("op-1", "anna", "lunch"));
            none.admin().resume("billing", new Operation("op-2", "anna", "back"));
            assertThat(none.audit().verify(List.of(), List.of()).isIntact()).isTrue();
        }

        assertThat(verify().findings())
                .extracting(AuditFinding::toString)
                .containsExactly(
                        "UNSEALED: a key was provided, but no operation is sealed with one: the key has not been used yet, or"
                                + " the whole trail was rewritten without it");
    }

    /** Race: the trail is read, an operation commits, and only then the end of the trail is read. */
    @Test
    void anOperationThatCommitsAtAnyStatementOfVerifyIsNoFinding() {
        parked("a");
        FaultyDataSource process = FaultyDataSource.around(database.dataSource());
        try (Inbox auditor = configure(builder(process)).start()) {
            int steps = process.record(() -> auditor.audit().verify(List.of(), List.of()))
                    .size();
            assertThat(steps).isGreaterThan(2);
            for (int before = 0; before < 3; before++) {
                for (int step = 1; step <= steps; step++) {
                    assertThat(findingsWhenAnOperationCommits(auditor, process, before, step))
                            .as("%s operations before, another one committed before statement %s", before, step)
                            .isEmpty();
                }
            }
        }
    }

    private List<AuditFinding> findingsWhenAnOperationCommits(
            Inbox auditor, FaultyDataSource process, int before, int step) {
        database.run("delete from idembox_operation", "update idembox_audit_head set number = 0, seal = ''");
        for (int nth = 1; nth <= before; nth++) {
            inbox.admin().pause("billing", new Operation("before-" + nth, "anna", "lunch"));
        }
        process.inject(
                FaultPlan.before(step, Fault.PAUSED),
                () -> inbox.admin().pause("billing", new Operation("meanwhile", "bob", "lunch too")),
                Duration.ofSeconds(60));
        AuditReport report = auditor.audit().verify(List.of(), List.of());
        assertThat(process.awaitPauseTask()).as("the operation has committed").isTrue();
        return report.findings();
    }

    @Test
    void aCutTailIsFoundByAHeadThatWasKeptElsewhere() {
        live(8);
        AuditHead kept = inbox.audit().head();
        database.run(
                "delete from idembox_operation where number > 5",
                "update idembox_audit_head set number = 5, seal = (select seal from idembox_operation where number = 5)");

        assertThat(verify().isIntact())
                .as("nobody can tell from the database alone")
                .isTrue();
        assertThat(verify(kept).findings())
                .extracting(AuditFinding::kind, AuditFinding::number)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(AuditFinding.Kind.CUT, 8L));
        assertThat(AuditHead.parse(kept.toString())).isEqualTo(kept);
    }

    @Test
    void everyTamperingIsFound() {
        live(12);
        AuditHead kept = inbox.audit().head();
        database.run(
                "create table kept as select * from idembox_operation",
                // Whoever owns the tables is kept from nothing.
                "alter table idembox_operation drop constraint idembox_operation_number_check");
        Random dice = new Random(7);
        List<String> unseen = new ArrayList<>();
        for (int i = 0; i < TAMPERINGS; i++) {
            String[] tampering = tampering(dice, i);
            database.run(tampering);
            if (verify(kept).isIntact()) {
                unseen.add(String.join("; ", tampering));
            }
            database.run(
                    "delete from idembox_operation",
                    "insert into idembox_operation select * from kept",
                    "update idembox_audit_head set number = 12, seal = (select seal from idembox_operation where number = 12)");
        }
        assertThat(unseen).isEmpty();
        assertThat(verify(kept).isIntact()).as("put back").isTrue();
    }

    private String[] tampering(Random dice, int nth) {
        int one = 1 + dice.nextInt(12);
        int other = 1 + (one + dice.nextInt(11)) % 12;
        return switch (nth % 11) {
            case 0 -> new String[] {"update idembox_operation set by_whom = 'mallory' where number = " + one};
            case 1 -> new String[] {"update idembox_operation set reason = reason || '!' where number = " + one};
            case 2 -> new String[] {"delete from idembox_operation where number = " + one};
            case 3 -> swapped(one, other, dice.nextBoolean() ? "by_whom" : "given_at");
            case 4 -> swapped(one, other, "reason");
            case 5 ->
                new String[] {
                    "update idembox_operation set number = number + 100 where number >= " + one,
                    "update idembox_operation set number = number - 99 where number > 100",
                    inserted(one, dice.nextInt())
                };
            case 6 -> new String[] {inserted(13, dice.nextInt())};
            case 7 -> new String[] {"update idembox_operation set " + field(dice) + " where number = " + one};
            case 8 ->
                new String[] {
                    "update idembox_operation set number = -1 where number = " + one,
                    "update idembox_operation set number = " + one + " where number = " + other,
                    "update idembox_operation set number = " + other + " where number = -1"
                };
            case 9 -> new String[] {inserted(-dice.nextInt(3), dice.nextInt())};
            default ->
                new String[] {
                    "delete from idembox_operation where number > " + (one - 1),
                    "update idembox_audit_head set number = " + (one - 1)
                            + ", seal = coalesce((select seal from idembox_operation where number = " + (one - 1)
                            + "), "
                            + "'')"
                };
        };
    }

    private static String[] swapped(int one, int other, String column) {
        String of = "(select k." + column + " from kept k where k.number = ";
        return new String[] {
            "update idembox_operation set " + column + " = " + of + other + ") where number = " + one,
            "update idembox_operation set " + column + " = " + of + one + ") where number = " + other,
            // Two that said the same are no tampering.
            "update idembox_operation set role = coalesce(role, '') || 'x' where number = " + one
        };
    }

    private static String inserted(int number, int id) {
        String columns =
                "kind, consumer_id, by_whom, reason, given_at, asked, done, arrivals, verdicts, states, role, filter, seal_key, seal";
        return "insert into idembox_operation (operation_id, number, " + columns + ") select 'x" + id + "', " + number
                + ", " + columns + " from kept where number = 1";
    }

    private static String field(Random dice) {
        List<String> fields = List.of(
                "asked = asked + 1",
                "done = done + 1",
                "consumer_id = consumer_id + 1",
                "kind = case kind when 'PAUSE' then 'RESUME' else 'PAUSE' end",
                "kind = 'NONSENSE'",
                "operation_id = operation_id || 'x'",
                "role = coalesce(role, '') || 'root'",
                "filter = coalesce(filter, '') || 'x'",
                "verdicts = verdicts || 'D'",
                "states = states || 'R'",
                "seal_key = null",
                "seal_key = 'other'",
                "seal = null",
                "number = null",
                "given_at = given_at + interval '1' second");
        return fields.get(dice.nextInt(fields.size()));
    }
}
