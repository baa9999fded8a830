// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.internal.engine.EntryState;
import io.idembox.internal.jdbc.sql.SqlFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about states and the statements say the same. */
class StateMachineTest {

    private static final Pattern STATEMENT = Pattern.compile("`([A-Z][A-Z_]+|[a-z]+\\.[a-z_]+)`");

    private static String page() throws IOException {
        return Files.readString(Path.of(System.getProperty("basedir", "")).resolve("../docs/state-machine.md"));
    }

    @Test
    void everyStatementIsOnThePageAndNoOtherOne() throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher matcher = STATEMENT.matcher(page());
        while (matcher.find()) {
            named.add(matcher.group(1));
        }

        Set<String> statements = new TreeSet<>(SqlFiles.names());
        SqlStatement.all().forEach(statement -> statements.add(statement.name()));
        assertThat(named).containsExactlyInAnyOrderElementsOf(statements);
    }

    @Test
    void everyStateIsOnThePage() throws IOException {
        String page = page();

        for (EntryState state : EntryState.values()) {
            assertThat(page).contains(state.name());
        }
    }
}
