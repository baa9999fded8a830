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
            "Sends orders through a Kafka broker into PostgreSQL, both started here, to consumers in direct and stored"
                    + " mode, a second service behind an outbox, and a naive consumer. Kills and freezes them meanwhile, then"
                    + " compares all effects with the orders.",
            "Exit code 0 only if the Idembox consumers, the second service included, lost, doubled and reordered nothing."
        },
        sortOptions = false,
        showDefaultValues = true,
        footer = {"", "Example:", "  idembox demo --messages 5000 --kill-every 500ms"})
public final class DemoCommand implements Callable<Integer> {

    private static final int MOST_MESSAGES = 1_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--messages", paramLabel = "N", description = "Number of orders, without duplicates.")
    private int messages = 20_000;

    @Option(names = "--duplicates", paramLabel = "PERCENT", description = "Percentage of orders that are sent twice.")
    private int duplicates = 20;

    @Option(
            names = "--kill-every",
            paramLabel = "TIME",
            converter = DemoDurationConverter.class,
            defaultValue = "1500ms",
            description = "Pause between two kills or freezes, such as 2s or 500ms; 0 for none.")
    private Duration killEvery = Duration.ofMillis(1_500);

    @Option(names = "--seconds", paramLabel = "N", description = "Maximum time from the first message to the check.")
    private int seconds = 300;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the order stream.")
    private long seed = 1;

    @Option(
            names = "--json",
            description = "Print the result as one JSON object on standard output, everything else on standard error.")
    private boolean json;

    @Option(names = "--keep", description = "Keep both servers running until Enter or Ctrl-C.")
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
        // A user who ends the demo with Ctrl-C does not need the logs.
        Runtime.getRuntime().addShutdownHook(tidy);
        Result result = new DemoRun(plan, screen, logs).run((end, addresses, port) -> {
            DemoTexts.after(end).forEach(screen::print);
            if (json) {
                print(end);
            }
            if (keep) {
                DemoTexts.kept(addresses, port).forEach(screen::print);
                awaitEnter();
            }
        });
        if (!result.isClean() || result.unexpectedExits() > 0) {
            Runtime.getRuntime().removeShutdownHook(tidy);
            screen.print("Logs of the consumer processes: " + logs);
        }
        screen.print("");
        DemoTexts.next().forEach(screen::print);
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

    /** Waits for Enter, or for the end of the input when there is no terminal. */
    private static void awaitEnter() {
        try {
            int read = System.in.read();
            while (read != '\n' && read != -1) {
                read = System.in.read();
            }
        } catch (IOException gone) {
            // Treated as the end of the input.
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
