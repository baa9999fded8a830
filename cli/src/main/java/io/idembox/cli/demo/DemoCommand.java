// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code idembox demo}: its options and its exit code. */
@Command(
        name = "demo",
        description = {
            "An order stream through a real Kafka broker into a real PostgreSQL, both started here; consumers in direct and stored"
                    + " mode, a second service at the other end of an outbox, and a naive consumer, killed and frozen on the way; a"
                    + " ledger check at the end.",
            "Exit code 0 only if the Idembox consumers lost, doubled and reordered nothing, at the end of the chain neither."
        },
        sortOptions = false,
        showDefaultValues = true,
        footer = {"", "Example:", "  idembox demo --messages 5000 --kill-every 500ms"})
public final class DemoCommand implements Callable<Integer> {

    private static final int MOST_MESSAGES = 1_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--messages", paramLabel = "N", description = "How many orders are sent; duplicates come on top.")
    private int messages = 20_000;

    @Option(names = "--duplicates", paramLabel = "PERCENT", description = "How many of them are sent twice.")
    private int duplicates = 20;

    @Option(
            names = "--kill-every",
            paramLabel = "TIME",
            converter = DemoDurationConverter.class,
            defaultValue = "1500ms",
            description = "The pause between two strikes, such as 2s or 500ms; 0 for none.")
    private Duration killEvery = Duration.ofMillis(1_500);

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long it may take from the first message to the check.")
    private int seconds = 300;

    @Option(names = "--seed", paramLabel = "N", description = "Another seed makes another stream.")
    private long seed = 1;

    @Option(
            names = "--json",
            description = "The result as one JSON object on standard output, everything else on standard error.")
    private boolean json;

    @Option(names = "--keep", description = "Leaves both servers running until Enter or Ctrl-C.")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        check("--messages", messages, 1, MOST_MESSAGES);
        check("--duplicates", duplicates, 0, 100);
        check("--seconds", seconds, 10, 24 * 60 * 60);
        Plan plan = new Plan(messages, duplicates, killEvery, Duration.ofSeconds(seconds), seed);
        PrintStream out = json ? System.err : System.out;
        boolean live = Boolean.getBoolean(json ? "idembox.terminal.err" : "idembox.terminal.out");
        Screen screen = new Screen(out, live, messages);
        Path logs = Files.createTempDirectory("idembox-demo-");
        Thread tidy = new Thread(() -> remove(logs), "tidy");
        // Whoever ends it with Ctrl-C does not look for them.
        Runtime.getRuntime().addShutdownHook(tidy);
        Result result = new DemoRun(plan, screen, logs).run((end, addresses, port) -> {
            DemoTexts.after(end).forEach(screen::say);
            if (json) {
                print(end);
            }
            if (keep) {
                DemoTexts.kept(addresses, port).forEach(screen::say);
                awaitEnter();
            }
        });
        if (!result.isClean() || result.endedByThemselves() > 0) {
            Runtime.getRuntime().removeShutdownHook(tidy);
            screen.say("What the consumer processes logged: " + logs);
        }
        screen.say("");
        DemoTexts.next().forEach(screen::say);
        return result.isClean() ? 0 : 1;
    }

    private void check(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), option + " must be between " + least + " and " + most + ", was " + value);
        }
    }

    private static void print(Result result) {
        try {
            System.out.println(new ObjectMapper().writeValueAsString(result.toMap()));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** Or the end of the input: nobody is there who could press it. */
    private static void awaitEnter() {
        try {
            int read = System.in.read();
            while (read != '\n' && read != -1) {
                read = System.in.read();
            }
        } catch (IOException gone) {
            // As good as the end.
        }
    }

    private static void remove(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException left) {
            System.err.println("Could not remove " + directory + ": " + left);
        }
    }
}
