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
import org.junit.jupiter.api.Test;

/** Every Java snippet of the README stands in a program that is compiled and run by {@link ExamplesDbTest}. */
class ReadmeTest {

    private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void everySnippetIsPartOfAnExample() throws IOException {
        List<String> programs = programs();
        List<String> snippets = SNIPPET.matcher(Files.readString(Path.of("..", "README.md")))
                .results()
                .map(match -> match.group(1))
                .toList();

        assertThat(snippets).isNotEmpty();
        for (String snippet : snippets) {
            assertThat(programs)
                    .as("No example contains this snippet of the README:%n%s", snippet)
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

    /** Layout does not count. */
    private static String plain(String code) {
        Matcher white = Pattern.compile("\\s+").matcher(code.strip());
        return white.replaceAll("");
    }
}
