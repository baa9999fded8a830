// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.audit;

import io.idembox.admin.InboxAdmin;
import io.idembox.audit.AuditEntry;
import io.idembox.audit.AuditHead;
import io.idembox.audit.AuditTrail;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.output.Fields;
import io.idembox.cli.output.OutputFormat;
import io.idembox.cli.output.Printer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Writes the audit trail up to its head at the start of the export, and that head as the last line. */
final class AuditExport {

    private final AuditTrail audit;

    AuditExport(AuditTrail audit) {
        this.audit = audit;
    }

    /** Writes to a new file. An existing file is refused, so that a kept export is not overwritten. */
    long writeTo(Path file) {
        try (PrintWriter out =
                new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW))) {
            long written = writeTo(out);
            if (out.checkError()) {
                throw new UncheckedIOException(new IOException("not everything could be written to " + file));
            }
            return written;
        } catch (FileAlreadyExistsException there) {
            throw CommandException.refused(file + " already exists. Nothing was written.");
        } catch (IOException | UncheckedIOException unwritable) {
            throw CommandException.unavailable(
                    "The audit trail cannot be written to " + file + ": " + unwritable, unwritable);
        }
    }

    /** Returns the number of operations written. */
    long writeTo(PrintWriter out) {
        AuditHead end = audit.head();
        Printer.Rows rows = OutputFormat.NDJSON.on(out).rows(AuditFields.COLUMNS);
        long last = 0;
        long written = 0;
        List<AuditEntry> page = audit.after(last, InboxAdmin.LIMIT);
        while (!page.isEmpty() && last < end.number()) {
            for (AuditEntry entry : page) {
                last = entry.number();
                if (last <= end.number()) {
                    rows.add(AuditFields.of(entry));
                    written++;
                }
            }
            page = audit.after(last, InboxAdmin.LIMIT);
        }
        rows.add(Fields.of("head", end.toString()));
        rows.end();
        return written;
    }
}
