// SPDX-License-Identifier: Apache-2.0
package io.idembox.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every Java snippet of the README and of these pages is part of a program that is compiled and run by these tests. */
class ReadmeTest {

    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    static List<Path> pages() {
        return List.of(
                Path.of("..", "README.md"),
                Path.of("..", "docs", "testing.md"),
                Path.of("..", "docs", "steps.md"),
                Path.of("..", "docs", "kafka.md"),
                Path.of("..", "docs", "http-sender.md"),
                Path.of("..", "docs", "outbox.md"),
                Path.of("..", "docs", "admin.md"),
                Path.of("..", "docs", "operations.md"),
                Path.of("..", "docs", "replay.md"),
                Path.of("..", "docs", "natural-idempotency.md"));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void everySnippetIsPartOfAnExample(Path page) throws IOException {
        List<String> programs = programs();
        List<String> snippets = SNIPPET.matcher(Files.readString(page))
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(snippets).isNotEmpty();
        for (String snippet : snippets) {
            assertThat(programs)
                    .as("No example contains this snippet of the page:%n%s", snippet)
                    .anyMatch(program -> program.contains(plain(snippet)));
        }
    }

    private static List<String> programs() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(ReadmeTest::read)
                    .map(ReadmeTest::plain)
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    /** Removes white space, which is not compared. */
    private static String plain(String code) {
        Matcher white = Pattern.compile("\\s+").matcher(code.strip());
        return white.replaceAll("");
    }
}
