// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import io.idembox.cli.audit.AuditCommand;
import io.idembox.cli.call.CommandEnvironment;
import io.idembox.cli.call.GlobalOptions;
import io.idembox.cli.consumers.ConsumersCommand;
import io.idembox.cli.deadletters.ImportCommand;
import io.idembox.cli.demo.DemoCommand;
import io.idembox.cli.intents.IntentsCommand;
import io.idembox.cli.keys.KeysCommand;
import io.idembox.cli.messages.MessagesCommand;
import io.idembox.cli.operations.OperationsCommand;
import io.idembox.cli.outbox.OutboxCommand;
import io.idembox.cli.parked.ParkedCommand;
import io.idembox.cli.policy.PolicyCommand;
import io.idembox.cli.replay.ReplayCommand;
import io.idembox.cli.schema.SchemaCommand;
import io.idembox.cli.shell.CompletionCommand;
import io.idembox.cli.shell.HelpCommand;
import io.idembox.cli.shell.Version;
import io.idembox.cli.shell.VersionCommand;
import io.idembox.cli.status.StatusCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** Entry point of the command line. Data goes to standard output, messages to the user go to standard error. */
@Command(
        name = "idembox",
        description = {
            "Operate an Idembox inbox: inspect messages, explain their state, and redrive, park or discard them.",
            "Exit codes: 0 success; 1 something was refused or failed, or a check did not pass; 2 invalid usage, or the"
                    + " result is unknown (for example, the database is unreachable); 3 a campaign stopped before its end (too"
                    + " many failures, or cancelled)."
        },
        subcommands = {
            StatusCommand.class,
            ConsumersCommand.class,
            MessagesCommand.class,
            ParkedCommand.class,
            OperationsCommand.class,
            ReplayCommand.class,
            KeysCommand.class,
            OutboxCommand.class,
            IntentsCommand.class,
            ImportCommand.class,
            AuditCommand.class,
            SchemaCommand.class,
            PolicyCommand.class,
            DemoCommand.class,
            CompletionCommand.class,
            VersionCommand.class,
            HelpCommand.class
        },
        footer = {
            "",
            "Examples:",
            "  idembox demo",
            "  idembox --jdbc jdbc:postgresql://db/shop --user ops status",
            "  idembox parked redrive --consumer billing --reason \"the bank is back\""
        },
        sortOptions = false,
        abbreviateSynopsis = true,
        versionProvider = Version.class)
public final class Main {

    @Mixin
    final GlobalOptions options;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Show this help.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the version.")
    boolean version;

    Main(GlobalOptions options) {
        this.options = options;
    }

    public static void main(String[] args) {
        // Must run before the first logger is created: commands report errors themselves.
        setDefaultProperty("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        setDefaultProperty("org.slf4j.simpleLogger.log.org.apache.kafka", "error");
        // The caller reports a failed connection in one line.
        setDefaultProperty("org.slf4j.simpleLogger.log.com.zaxxer.hikari", "off");
        // schema check reports what applications log at startup.
        setDefaultProperty("org.slf4j.simpleLogger.log.io.idembox.internal.jdbc.StartupChecks", "error");
        // The command that drives a campaign reports how it ended.
        setDefaultProperty("org.slf4j.simpleLogger.log.io.idembox.internal.admin.CampaignRunner", "error");
        CommandEnvironment environment = CommandEnvironment.real();
        int exitCode = run(environment, args);
        environment.out().flush();
        environment.err().flush();
        System.exit(exitCode);
    }

    /** Runs one command and returns its exit code. */
    static int run(CommandEnvironment environment, String... args) {
        return CommandTree.in(environment).execute(args);
    }

    private static void setDefaultProperty(String property, String level) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, level);
        }
    }
}
