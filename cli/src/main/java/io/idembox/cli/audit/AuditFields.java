// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.audit;

import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditFinding;
import io.idembox.audit.AuditReport;
import io.idembox.cli.output.Column;
import io.idembox.cli.output.Fields;
import java.util.List;

/** Converts operations and findings to output fields. Pure. */
final class AuditFields {

    /** Columns of the text format. */
    static final List<Column> COLUMNS = List.of(
            Column.of("number"),
            Column.of("at"),
            Column.of("consumer"),
            Column.of("command"),
            Column.of("by"),
            Column.of("asked"),
            Column.of("done"),
            Column.of("reason"));

    private AuditFields() {}

    static Fields of(AuditEntry entry) {
        return Fields.of("number", entry.number())
                .and("at", entry.at())
                .and("consumer", entry.consumer())
                .and("command", entry.command())
                .and("operation", entry.operation().id())
                .and("by", entry.operation().by())
                .and("role", entry.operation().role())
                .and("reason", entry.operation().reason())
                .and("filter", entry.operation().filter())
                .and("asked", entry.touched().size())
                .and("done", entry.done())
                .and("touched", entry.touched().stream().map(AuditFields::of).toList())
                .and("sealedWith", entry.sealedWith());
    }

    private static Fields of(AuditEntry.Touched touched) {
        return Fields.of("arrival", touched.arrival())
                .and("verdict", touched.result())
                .and("before", touched.before());
    }

    static Fields of(AuditReport report) {
        return Fields.of("intact", report.isIntact())
                .and("checked", report.checked())
                .and("keyless", report.keyless())
                .and("head", report.head().toString())
                .and("findings", report.findings().stream().map(AuditFields::of).toList());
    }

    private static Fields of(AuditFinding finding) {
        return Fields.of("kind", finding.kind()).and("number", finding.number()).and("text", finding.text());
    }
}
