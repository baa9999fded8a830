// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.audit;

import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditFinding;
import io.idembox.audit.AuditHead;
import io.idembox.audit.AuditKey;
import io.idembox.audit.AuditReport;
import io.idembox.audit.AuditTrail;
import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.AuditKeys;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code idembox audit}. */
@Command(
        name = "audit",
        description = "List, export and verify the audit trail of operator commands.",
        footer = {"", "Example:", "  idembox audit verify --heads heads.txt"})
public final class AuditCommand {

    private final Invocation invocation;

    AuditCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "List operations, newest last. Shows the most recent ones unless --after is given.",
            footer = {"", "Example:", "  idembox audit list --after 120 --limit 20"})
    int list(
            @Option(names = "--after", paramLabel = "NUMBER", description = "List operations after this number.")
                    @Nullable
                    Long after,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "Maximum number of operations to list, up to 1000. Default: 100.")
                    int limit) {
        if (limit < 1 || limit > InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit must be between 1 and " + InboxAdmin.LIMIT + "; was " + limit);
        }
        try (AdminSession adminSession = invocation.open()) {
            AuditTrail audit = adminSession.audit();
            long end = audit.head().number();
            long from = after == null ? Math.max(0, end - limit) : after;
            Printer.Rows rows = invocation.printer().rows(AuditFields.COLUMNS);
            List<AuditEntry> entries = audit.after(from, limit);
            entries.forEach(entry -> rows.add(AuditFields.of(entry)));
            rows.end();
            long last =
                    entries.isEmpty() ? end : entries.get(entries.size() - 1).number();
            if (last < end) {
                invocation.printMessage(
                        "There are more operations, up to number " + end + ". Continue with --after " + last + ".");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "export",
            description = {
                "Export the whole audit trail, one JSON object per line. The last line is its head.",
                "Keep the export outside the database; audit verify --heads accepts it later."
            },
            footer = {"", "Example:", "  idembox audit export --to audit-2026-03.ndjson"})
    int export(
            @Option(
                            names = "--to",
                            paramLabel = "FILE",
                            description =
                                    "New file to write; an existing file is not overwritten. Default: standard output.")
                    @Nullable
                    Path file) {
        invocation
                .outputFormat()
                .filter(format -> format != OutputFormat.NDJSON)
                .ifPresent(format -> {
                    throw CommandException.usage("export writes ndjson only; -o was " + format + ".");
                });
        try (AdminSession adminSession = invocation.open()) {
            AuditExport auditExport = new AuditExport(adminSession.audit());
            long written =
                    file == null ? auditExport.writeTo(invocation.environment().out()) : auditExport.writeTo(file);
            invocation.progress(written + " operations exported.");
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "verify",
            description = {
                "Verify every operation of the audit trail. Exits with 1 when an operation was changed, removed or inserted, and"
                        + " with 2 when the result is unknown because a key is missing.",
                "Pass the current key with --audit-key-file or IDEMBOX_AUDIT_KEY, and older keys with --older-key."
            },
            footer = {
                "",
                "Example:",
                "  idembox audit verify --heads heads.txt --audit-key-file 2026=/run/secrets/idembox-audit"
            })
    int verify(
            @Option(
                            names = "--heads",
                            paramLabel = "FILE",
                            description =
                                    "File with heads kept outside the database, one per line, or an export. Detects a truncated trail.")
                    @Nullable
                    Path file,
            @Option(
                            names = "--older-key",
                            paramLabel = "NAME=FILE",
                            description = "Name and file of a key that was used earlier; may be repeated.")
                    @Nullable
                    List<String> olderKeys) {
        List<AuditHead> heads = file == null ? List.of() : KeptHeads.in(file);
        List<AuditKey> older = olderKeys == null
                ? List.of()
                : olderKeys.stream()
                        .map(text -> AuditKeys.inFile("--older-key", text))
                        .toList();
        try (AdminSession adminSession = invocation.open()) {
            AuditReport report = adminSession.audit().verify(heads, older);
            invocation.printer().printOne(AuditFields.of(report));
            report(report, file != null);
            return exitCode(report);
        }
    }

    private void report(AuditReport report, boolean compared) {
        if (report.isIntact()) {
            invocation.printMessage(report.checked() + " operations are intact"
                    + (compared ? "." : ". To detect a truncated trail, use --heads."));
        } else {
            invocation.printMessage("The audit trail is not intact; findings: "
                    + report.findings().size() + ".");
        }
        if (report.keyless() > 0) {
            invocation.printMessage(
                    report.keyless()
                            + " operations are sealed without a key: a user with write access to the table could have forged them.");
        }
    }

    /** When the only findings are unknown keys, the result is unknown; any other finding is a failure. */
    private static int exitCode(AuditReport report) {
        if (report.isIntact()) {
            return ExitCode.DONE;
        }
        return report.findings().stream().allMatch(each -> each.kind() == AuditFinding.Kind.KEY_UNKNOWN)
                ? ExitCode.UNKNOWN
                : ExitCode.REFUSED;
    }
}
