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
        description = "What people did: the trail of operations, and whether it is as it was written.",
        footer = {"", "Example:", "  idembox audit verify --heads heads.txt"})
public final class AuditCommand {

    private final Invocation invocation;

    AuditCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "list",
            description = "What people did, the newest last; the last ones unless --after says from where.",
            footer = {"", "Example:", "  idembox audit list --after 120 --limit 20"})
    int list(
            @Option(names = "--after", paramLabel = "NUMBER", description = "Only what comes behind that number.")
                    @Nullable
                    Long after,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "100",
                            description = "How many; 100 without it, at most 1000.")
                    int limit) {
        if (limit < 1 || limit > InboxAdmin.LIMIT) {
            throw CommandException.usage("--limit is 1 to " + InboxAdmin.LIMIT + "; was " + limit);
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
                invocation.say("The trail goes on up to " + end + ": --after " + last + " shows more.");
            }
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "export",
            description = {
                "The whole trail, one JSON object per line; the last line is its head, to be kept outside the database.",
                "A later verify --heads takes the export as it is."
            },
            footer = {"", "Example:", "  idembox audit export --to audit-2026-03.ndjson"})
    int export(
            @Option(
                            names = "--to",
                            paramLabel = "FILE",
                            description = "A file that is not there yet; standard output without it.")
                    @Nullable
                    Path file) {
        invocation.form().filter(format -> format != OutputFormat.NDJSON).ifPresent(format -> {
            throw CommandException.usage("An export is ndjson; was " + format + ".");
        });
        try (AdminSession adminSession = invocation.open()) {
            AuditExport auditExport = new AuditExport(adminSession.audit());
            long written = file == null ? auditExport.to(invocation.world().out()) : auditExport.to(file);
            invocation.progress(written + " operations were written.");
        }
        return ExitCode.DONE;
    }

    @Command(
            name = "verify",
            description = {
                "Checks every operation of the trail. Ends with 1 when something is not as it was written, and with 2 when nobody can"
                        + " tell because a key is missing.",
                "The key is given as for all commands (--audit-key-file, or IDEMBOX_AUDIT_KEY); older ones with --older-key."
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
                                    "Heads that were kept elsewhere, one per line, or an export: what finds a trail that was cut.")
                    @Nullable
                    Path file,
            @Option(
                            names = "--older-key",
                            paramLabel = "NAME=FILE",
                            description = "A key that was used before, and its name; may be repeated.")
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
            invocation.printer().thing(AuditFields.of(report));
            tell(report, file != null);
            return exitCode(report);
        }
    }

    private void tell(AuditReport report, boolean compared) {
        if (report.isIntact()) {
            invocation.say(report.checked() + " operations are as they were written"
                    + (compared ? "." : "; whether the end is missing only --heads can tell."));
        } else {
            invocation.say(report.findings().size() + " findings.");
        }
        if (report.keyless() > 0) {
            invocation.say(report.keyless()
                    + " operations are sealed without a key: whoever could write them could seal them.");
        }
    }

    /** Without a key nobody can tell; everything else is a finding. */
    private static int exitCode(AuditReport report) {
        if (report.isIntact()) {
            return ExitCode.DONE;
        }
        return report.findings().stream().allMatch(each -> each.kind() == AuditFinding.Kind.KEY_UNKNOWN)
                ? ExitCode.CANNOT_TELL
                : ExitCode.REFUSED;
    }
}
