// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import io.idembox.cli.demo.DemoCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Puts the commands together. What is told to people goes to standard output, what went wrong to standard error. */
@Command(
        name = "idembox",
        description = "The consumer inbox for Java services.",
        subcommands = {DemoCommand.class, CommandLine.HelpCommand.class},
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class Main {

    private Main() {}

    public static void main(String[] args) {
        // Before the first logger is made: the commands speak for themselves.
        quiet("org.slf4j.simpleLogger.defaultLogLevel", "warn");
        quiet("org.slf4j.simpleLogger.log.org.apache.kafka", "error");
        System.exit(new CommandLine(new Main()).execute(args));
    }

    private static void quiet(String property, String level) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, level);
        }
    }
}
