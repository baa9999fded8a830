// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.idembox.internal.engine.NewLedgerRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The golden files show the statements as the databases get them, so that a change is reviewed as SQL. To write them
 * anew: {@code ./mvnw -pl core test -Dtest=StatementTest -Didembox.golden=write}.
 */
class SqlStatementTest {

    private static final Path GOLDEN =
            Path.of(System.getProperty("basedir", "")).resolve("src/test/golden");
    private static final TableNames TABLES = new TableNames("app", "idembox_");
    private static final JavaClasses ROOM = ArchConfiguration.withThreadLocalScope(scope -> {
        scope.setResolveMissingDependenciesFromClassPath(false);
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("io.idembox.internal.jdbc");
    });

    @ParameterizedTest
    @EnumSource
    void statementsAreThoseOfTheGoldenFile(Database database) throws IOException {
        Path file = GOLDEN.resolve(database.folder() + ".sql");
        String rendered = render(database);
        if ("write".equals(System.getProperty("idembox.golden"))) {
            Files.createDirectories(GOLDEN);
            Files.writeString(file, rendered);
        }

        assertThat(Files.readString(file)).isEqualTo(rendered);
    }

    @ParameterizedTest
    @EnumSource
    void everyPlaceholderIsResolved(Database database) {
        for (SqlStatement statement : SqlStatement.all()) {
            assertThat(TABLES.in(statement.text(database))).as(statement.name()).doesNotContain("{", "}");
        }
        for (FilterPredicate test : FilterPredicate.values()) {
            assertThat(test.text(database)).as(test.name()).doesNotContain("{", "}");
        }
    }

    @Test
    void everyStatementUsedOnADatabaseHasATextThere() {
        Set<SqlStatement> onH2 = usedBy(user -> !user.getSimpleName().startsWith("Postgres"));
        Set<SqlStatement> onPostgres = usedBy(user -> !user.getSimpleName().startsWith("H2"));

        assertThat(onH2)
                .contains(LedgerStatement.INSERT_MARK, LedgerStatement.FIND, SettleStatement.SETTLE_ENTRIES)
                .allSatisfy(statement -> assertThat(statement.text(Database.H2)).isNotBlank());
        assertThat(onPostgres)
                .contains(LedgerStatement.INSERT_MARKS, LeaseStatement.CLAIM)
                .allSatisfy(statement ->
                        assertThat(statement.text(Database.POSTGRESQL)).isNotBlank());
    }

    @Test
    void everyStatementIsUsed() {
        assertThat(usedBy(user -> true)).containsExactlyInAnyOrderElementsOf(SqlStatement.all());
    }

    @ParameterizedTest
    @EnumSource(names = {"ADOPT_ENTRY", "FAIL_ENTRY", "SETTLE_ENTRIES"})
    void whatIsDoneToAnEntryOfOursSaysWhereItHasToBe(SettleStatement statement) {
        for (Database database : Database.values()) {
            assertThat(statement.text(database)).contains("where consumer_id = ?", "and state = ?", "and arrival = ");
        }
    }

    /** Up to PostgreSQL 17 it has a price for which a server with LLVM compiles the plan. Those that tests start have none. */
    @Test
    void wherePlansAreSwitchedOffTheyAreNotCompiled() {
        List<SqlStatement> pinned = SqlStatement.all().stream()
                .filter(statement -> statement.text(Database.POSTGRESQL).contains("', 'off', true)"))
                .filter(statement -> statement.text(Database.POSTGRESQL).contains("'enable_"))
                .toList();
        assertThat(pinned)
                .contains(LeaseStatement.CLAIM, LedgerStatement.FIND, OutgoingStatement.SEND)
                .allSatisfy(statement ->
                        assertThat(statement.text(Database.POSTGRESQL)).contains("set_config('jit', 'off', true)"));
    }

    @ParameterizedTest
    @EnumSource
    void arrivalNumbersLeaveRoomForTheSlotsOfABatch(Database database) {
        assertThat(LedgerStatement.NEXT_ARRIVAL.text(database)).endsWith(" * " + NewLedgerRow.SLOTS);
        assertThat(LedgerStatement.INSERT_MARKS.text(Database.POSTGRESQL))
                .contains(" * " + NewLedgerRow.SLOTS + " + m.slot");
        assertThat(LedgerStatement.INSERT_ONE_MARK.text(Database.POSTGRESQL))
                .contains(" * " + NewLedgerRow.SLOTS + " + ?");
        assertThat(LedgerStatement.INSERT_MARKS_AND_BODIES.text(Database.POSTGRESQL))
                .contains(" * " + NewLedgerRow.SLOTS + " + m.slot", "m.slot = l.arrival % " + NewLedgerRow.SLOTS);
    }

    private static String render(Database database) {
        StringBuilder text = new StringBuilder();
        for (SqlStatement statement : SqlStatement.all()) {
            String sql = TABLES.in(statement.text(database));
            text.append("-- ")
                    .append(statement.name())
                    .append(sql.isEmpty() ? " is not needed here\n\n" : "\n" + sql + "\n\n");
        }
        for (FilterPredicate test : FilterPredicate.values()) {
            text.append("-- what a filter may ask for: ")
                    .append(test.name())
                    .append('\n')
                    .append(test.text(database))
                    .append("\n\n");
        }
        return text.toString().stripTrailing() + "\n";
    }

    private static Set<SqlStatement> usedBy(Predicate<JavaClass> users) {
        Set<SqlStatement> used = new HashSet<>();
        for (JavaClass user : ROOM) {
            if (!user.isAssignableTo(SqlStatement.class) && users.test(user)) {
                user.getFieldAccessesFromSelf().stream()
                        .filter(access -> access.getTargetOwner().isAssignableTo(SqlStatement.class))
                        .map(JavaFieldAccess::getName)
                        .map(SqlStatementTest::named)
                        .forEach(used::add);
            }
        }
        return used;
    }

    private static SqlStatement named(String name) {
        return SqlStatement.all().stream()
                .filter(statement -> statement.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
