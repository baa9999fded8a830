// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.PreparedStatement;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Java code and SQL files name the same statements, in each dialect. */
class SqlFilesTest {

    private static final Path SOURCES =
            SqlFiles.HOME.resolve("../../../../java/io/idembox/internal").normalize();
    private static final Pattern CALL = Pattern.compile("\\.call\\([^\"]*?\"([a-z]+\\.[a-z_]+)\"");

    @ParameterizedTest
    @CsvSource({"postgresql, H2", "portable, Postgres"})
    void everyStatementOfADialectIsCalledAndEveryCallHasAStatement(String dialect, String otherClasses)
            throws IOException {
        Set<String> statements =
                new SqlCatalog(List.of("common", dialect), UnaryOperator.identity(), new NoValues()).names();

        assertThat(statements).isNotEmpty().isEqualTo(calledByClassesWithout(otherClasses));
    }

    @Test
    void everyFileOfEveryFolderIsLoaded() {
        Set<String> loaded = new TreeSet<>();
        Stream.of("postgresql", "portable")
                .forEach(dialect -> loaded.addAll(
                        new SqlCatalog(List.of("common", dialect), UnaryOperator.identity(), new NoValues()).names()));

        assertThat(loaded).isEqualTo(SqlFiles.names());
    }

    private static Set<String> calledByClassesWithout(String prefix) throws IOException {
        Set<String> called = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                if (!file.getFileName().toString().startsWith(prefix)) {
                    for (Matcher call = CALL.matcher(Files.readString(file)); call.find(); ) {
                        called.add(call.group(1));
                    }
                }
            }
        }
        return called;
    }

    private static final class NoValues implements SqlValues {

        @Override
        public String now() {
            return "?";
        }

        @Override
        public void bindNow(PreparedStatement statement, int index) {
            throw new AssertionError();
        }

        @Override
        public void bindInstant(PreparedStatement statement, int index, @Nullable Instant value) {
            throw new AssertionError();
        }
    }
}
