// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say which messages. Everything that is given has to match. */
public final class SelectionOptions {

    @Option(
            names = "--where",
            paramLabel = "TEXT",
            description = "A filter in words: \"consumer=email and error~Timeout and received>-24h\".")
    @Nullable
    String where;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            converter = StatusConverter.class,
            description = "Where they stand, such as parked or failed-terminal; several with commas.")
    List<Status> statuses = new ArrayList<>();

    @Option(names = "--key", paramLabel = "KEY", description = "The message's key.")
    @Nullable
    String key;

    @Option(names = "--source", paramLabel = "SOURCE", description = "Where the ids come from; '' for none.")
    @Nullable
    String source;

    @Option(names = "--id", paramLabel = "ID", description = "The message's id at its source; may be repeated.")
    List<String> ids = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", description = "The event type.")
    @Nullable
    String type;

    @Option(
            names = "--error",
            paramLabel = "CLASS",
            description = "The class of the last error, or the rule that refused it.")
    @Nullable
    String error;

    @Option(names = "--group", paramLabel = "ID", description = "The group of its failure, as parked groups shows it.")
    @Nullable
    UUID group;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Received then or later: 24h (ago), 2026-03-01, or 2026-03-01T12:00:00Z.")
    @Nullable
    String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Received earlier than that.")
    @Nullable
    String until;

    /** Whether nothing was said. */
    boolean areNone() {
        return where == null && statuses.isEmpty() && saysNothingOfMessages();
    }

    private boolean saysNothingOfMessages() {
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
