// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.cli.call.CommandEnvironment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every command has a description and a working example. */
class CommandTreeTest {

    /** Shared by all tests: it takes a tenth of a second to build. */
    private static final CommandLine TREE = CommandTree.in(CommandEnvironment.real());

    /** The qualified names of all commands and groups. */
    static List<String> commands() {
        List<String> names = new ArrayList<>();
        collect(TREE, names);
        return names;
    }

    private static void collect(CommandLine command, List<String> names) {
        names.add(command.getCommandSpec().qualifiedName());
        command.getSubcommands().values().forEach(each -> collect(each, names));
    }

    private static CommandLine find(String name) {
        CommandLine command = TREE;
        for (String word : Arrays.stream(name.split(" ")).skip(1).toList()) {
            command = Objects.requireNonNull(command.getSubcommands().get(word), word);
        }
        return command;
    }

    @Test
    void commandTreeMatchesDocumentation() {
        Set<String> leaves = new TreeSet<>(commands());
        leaves.removeIf(name -> !find(name).getSubcommands().isEmpty());

        assertThat(leaves)
                .containsExactly(
                        "idembox audit export",
                        "idembox audit list",
                        "idembox audit verify",
                        "idembox completion bash",
                        "idembox completion zsh",
                        "idembox consumers describe",
                        "idembox consumers list",
                        "idembox consumers pause",
                        "idembox consumers resume",
                        "idembox demo",
                        "idembox help",
                        "idembox import-dlt kafka",
                        "idembox intents discard",
                        "idembox intents explain",
                        "idembox intents list",
                        "idembox intents park",
                        "idembox intents redrive",
                        "idembox intents restore",
                        "idembox keys list",
                        "idembox keys release",
                        "idembox keys show",
                        "idembox messages explain",
                        "idembox messages export",
                        "idembox messages get",
                        "idembox messages list",
                        "idembox messages payload",
                        "idembox messages tail",
                        "idembox operations cancel",
                        "idembox operations describe",
                        "idembox operations list",
                        "idembox operations resume",
                        "idembox operations run",
                        "idembox operations start",
                        "idembox outbox discard",
                        "idembox outbox list",
                        "idembox outbox park",
                        "idembox outbox redrive",
                        "idembox outbox restore",
                        "idembox outbox status",
                        "idembox parked discard",
                        "idembox parked edit",
                        "idembox parked groups",
                        "idembox parked list",
                        "idembox parked note",
                        "idembox parked park",
                        "idembox parked redrive",
                        "idembox parked restore",
                        "idembox policy diff",
                        "idembox policy lint",
                        "idembox policy show",
                        "idembox replay plan",
                        "idembox replay run",
                        "idembox replay status",
                        "idembox schema apply",
                        "idembox schema check",
                        "idembox schema diff",
                        "idembox schema print",
                        "idembox schema roles",
                        "idembox status",
                        "idembox version");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasADescriptionAndAnExampleOfItself(String name) {
        CommandLine command = find(name);
        String words = String.join(
                " ", Arrays.asList(command.getCommandSpec().usageMessage().description()));
        String footer = String.join(
                "\n", Arrays.asList(command.getCommandSpec().usageMessage().footer()));

        assertThat(words).as("description").endsWith(".");
        assertThat(footer).as("footer").contains("Example").contains(name + (name.equals("idembox help") ? " " : ""));
    }

    /** The arguments of each example are parsed as the command would parse them. */
    @ParameterizedTest
    @MethodSource("commands")
    void everyExampleIsParsed(String name) {
        for (String line : find(name).getCommandSpec().usageMessage().footer()) {
            int from = line.indexOf("idembox ");
            if (from >= 0) {
                TREE.parseArgs(words(line.substring(from)));
            }
        }
    }

    private static String[] words(String line) {
        List<String> words = new ArrayList<>();
        var matcher = Pattern.compile("\"([^\"]*)\"|(\\S+)")
                .matcher(line.replaceAll(" [>|].*|\\)$", "").substring("idembox ".length()));
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        return words.toArray(new String[0]);
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandShowsItsHelpWithoutADatabase(String name) {
        String[] args = (name + " --help").substring("idembox ".length()).split(" ");

        Cli.Result result = Cli.withoutDatabase().run(args);

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out())
                .startsWith("Usage: " + name)
                .contains("Example")
                .doesNotContain("\u001b");
    }

    @Test
    void globalOptionsAreShownOnceAndAcceptedEverywhere() {
        assertThat(Cli.withoutDatabase().run("status", "--help").out()).doesNotContain("--password-file");
        assertThat(Cli.withoutDatabase().run("--help").out()).contains("--password-file");
        assertThat(Cli.withoutDatabase().json("version"))
                .isEqualTo(Cli.withoutDatabase().run("-o", "json", "version").json());
    }

    @Test
    void terminalOutputIsColouredUnlessNoColorIsSet() {
        assertThat(Cli.withoutDatabase().onATerminal().run("--help").out()).contains("\u001b[");
        assertThat(Cli.withoutDatabase()
                        .onATerminal()
                        .variable("NO_COLOR", "1")
                        .run("--help")
                        .out())
                .doesNotContain("\u001b[");
    }

    @Test
    void passwordArgumentIsMasked() {
        Cli.Result refused = Cli.withoutDatabase().run("status", "--password=open-sesame");

        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--password=…").doesNotContain("open-sesame");
    }

    @Test
    void helpFindsCommandsByTheirWords() {
        assertThat(Cli.withoutDatabase().run("help", "parked", "redrive").out())
                .isEqualTo(
                        Cli.withoutDatabase().run("parked", "redrive", "--help").out());
        assertThat(Cli.withoutDatabase().run("help", "nothing").exitCode()).isEqualTo(2);
    }

    @Test
    void completionScriptContainsCommands() {
        assertThat(Cli.withoutDatabase().run("completion", "bash").out()).contains("redrive", "--where", "complete -F");
        assertThat(Cli.withoutDatabase().run("completion", "zsh").out())
                .startsWith("autoload")
                .contains("redrive");
    }
}
