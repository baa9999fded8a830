// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that docs/internals/model.md maps every SQL statement to its step of the model, completely and correctly. */
class ModelMapTest {

    private static final Path ACCEPTANCE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Path HOME = ACCEPTANCE.resolveSibling("");

    private static final Pattern STATEMENT =
            Pattern.compile("^-- ([A-Z][A-Z0-9_]*)(?: is not needed here)?$", Pattern.MULTILINE);
    private static final Pattern IN_FILE = Pattern.compile("^-- name: (\\w+)$", Pattern.MULTILINE);
    private static final Pattern ROW =
            Pattern.compile("^\\| `([A-Z][A-Z0-9_]*|[a-z]+\\.[a-z_]+)` \\| ([^|]*) \\|", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern DEFINITION = Pattern.compile("^([A-Z]\\w*)(?:\\([^)]*\\))? ==", Pattern.MULTILINE);
    private static final Pattern CALL = Pattern.compile("\\b([A-Z]\\w*)\\(");
    private static final Pattern STEP = Pattern.compile("^\\| `(\\w+)` \\|", Pattern.MULTILINE);
    private static final String NO_ACTION = "no action, because ";

    @Test
    void everyStatementIsInTheMap() {
        assertThat(rows().keySet()).containsAll(statements());
    }

    @Test
    void everyStatementOfTheMapExists() {
        assertThat(statements()).containsAll(rows().keySet());
    }

    @Test
    void everyRowNamesActionsOrSaysWhyNot() {
        assertThat(rows())
                .allSatisfy((statement, actions) -> assertThat(
                                actions.startsWith(NO_ACTION) || !named(actions).isEmpty())
                        .as("%s: %s", statement, actions)
                        .isTrue());
    }

    @Test
    void everyActionOfTheMapIsDefinedByTheModel() {
        Set<String> defined = new TreeSet<>();
        Stream.of("Inbox", "ClaimFirst", "Order", "Relay", "Intents")
                .forEach(module -> defined.addAll(all(DEFINITION, module(module))));

        assertThat(rows())
                .allSatisfy((statement, actions) -> assertThat(defined)
                        .as(statement)
                        .containsAll(actions.startsWith(NO_ACTION) ? List.of() : named(actions)));
    }

    @Test
    void everyRuleOfTheModelIsExplained() {
        String page = read(HOME.resolve("docs/internals/model.md"));
        List<String> rules = read(ACCEPTANCE.resolve("src/test/resources/model-configurations.txt"))
                .lines()
                .filter(line -> line.startsWith("rule ") || line.startsWith("promise "))
                .map(line -> line.substring(line.indexOf(' ')).strip())
                .toList();

        assertThat(rules).isNotEmpty().allSatisfy(rule -> assertThat(page).contains("| `" + rule + "` |"));
    }

    @ParameterizedTest
    @CsvSource({"Order, The order of a key", "Relay, The relay", "Intents, Intents"})
    void everyStepIsExplainedWithItsCode(String module, String chapter) {
        String steps = module(module);
        steps = steps.substring(steps.indexOf("\nStep("), steps.indexOf("\nSpec =="));
        Set<String> taken = all(CALL, steps);
        taken.retainAll(all(DEFINITION, module(module)));
        taken.remove("Step");

        String told = read(HOME.resolve("docs/internals/model.md"))
                .split("\n## " + chapter + "\n", 2)[1]
                .split("\n## ", 2)[0];
        told = told.substring(told.indexOf("\n| Step |"));
        assertThat(all(STEP, told)).isNotEmpty().containsExactlyInAnyOrderElementsOf(taken);
    }

    /** Statements with what the map says of them. */
    private static Map<String, String> rows() {
        Map<String, String> rows = new LinkedHashMap<>();
        for (Matcher row = ROW.matcher(read(HOME.resolve("docs/internals/model.md"))); row.find(); ) {
            assertThat(rows.put(row.group(1), row.group(2).strip()))
                    .as("%s is there twice", row.group(1))
                    .isNull();
        }
        assertThat(rows).isNotEmpty();
        return rows;
    }

    /** The golden files name every statement of every enum, the SQL files all others. */
    private static Set<String> statements() {
        Set<String> statements = new TreeSet<>();
        for (Path file : sqlFiles()) {
            String concern = file.getFileName().toString().replace(".sql", "");
            all(IN_FILE, read(file)).forEach(name -> statements.add(concern + "." + name));
        }
        for (String database : List.of("postgresql", "h2")) {
            statements.addAll(all(STATEMENT, read(HOME.resolve("core/src/test/golden/" + database + ".sql"))));
        }
        assertThat(statements).contains("CLAIM", "END_LEASE", "step.insert");
        return statements;
    }

    private static List<Path> sqlFiles() {
        try (Stream<Path> files = Files.walk(HOME.resolve("core/src/main/resources/io/idembox/sql"))) {
            return files.filter(file -> file.toString().endsWith(".sql")).toList();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static List<String> named(String cell) {
        return new ArrayList<>(all(NAME, cell));
    }

    private static Set<String> all(Pattern pattern, String text) {
        Set<String> found = new TreeSet<>();
        for (Matcher each = pattern.matcher(text); each.find(); ) {
            found.add(each.group(1));
        }
        return found;
    }

    private static String module(String name) {
        return read(ACCEPTANCE.resolve("src/test/tla/" + name + ".tla"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
