// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select messages. A message must match all of them. */
public final class SelectionOptions {

    @Option(
            names = "--where",
            paramLabel = "TEXT",
            description = "Filter expression, such as \"consumer=email and error~Timeout and received>-24h\".")
    @Nullable
    String where;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            converter = StatusConverter.class,
            description = "Statuses, separated by commas, such as parked,failed-terminal.")
    List<Status> statuses = new ArrayList<>();

    @Option(names = "--key", paramLabel = "KEY", description = "Key of the message.")
    @Nullable
    String key;

    @Option(
            names = "--source",
            paramLabel = "SOURCE",
            description = "Source of the ids; '' for messages without a source.")
    @Nullable
    String source;

    @Option(names = "--id", paramLabel = "ID", description = "Id of the message at its source; may be repeated.")
    List<String> ids = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "Event type.")
    @Nullable
    String type;

    @Option(
            names = "--error",
            paramLabel = "CLASS",
            description = "Class of the last error, or the rule that refused the message.")
    @Nullable
    String error;

    @Option(names = "--group", paramLabel = "ID", description = "Failure group, as listed by parked groups.")
    @Nullable
    UUID group;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Received at or after: 24h (ago), 2026-03-01, or 2026-03-01T12:00:00Z.")
    @Nullable
    String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Received before this time.")
    @Nullable
    String until;

    /** Whether none of these options is given. */
    boolean isEmpty() {
        return where == null && statuses.isEmpty() && hasNoContentOptions();
    }

    private boolean hasNoContentOptions() {
        return key == null
                && source == null
                && ids.isEmpty()
                && type == null
                && error == null
                && group == null
                && since == null
                && until == null;
    }
}
