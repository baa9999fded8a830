// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SqlTextTest {

    private static SqlText parse(String source) {
        return SqlText.parse("test.statement", source, "coalesce(?, clock_timestamp())");
    }

    @Test
    void parametersAreNumberedInTheOrderOfTheText() {
        SqlText text = parse("update t set a = :first, b = :second_2 where c = :first");

        assertThat(text.text()).isEqualTo("update t set a = ?, b = ? where c = ?");
        assertThat(text.parameters()).containsExactly("first", "second_2", "first");
    }

    @Test
    void nowIsAnExpressionWithOneParameter() {
        SqlText text = parse("select :now, :nowadays");

        assertThat(text.text()).isEqualTo("select coalesce(?, clock_timestamp()), ?");
        assertThat(text.parameters()).containsExactly("now", "nowadays");
    }

    @Test
    void stringsQuotedNamesAndCastsAreLeftAlone() {
        String source = "select ':a', \":b\", 'it''s :c', x::text, y :: int";

        assertThat(parse(source).text()).isEqualTo(source);
        assertThat(parse(source).parameters()).isEmpty();
    }

    @Test
    void quoteThatIsNotClosedIsRefused() {
        assertThatThrownBy(() -> parse("select 'a")).hasMessageContaining("A quote is not closed");
    }

    @Test
    void fileHasStatementsByNameWithoutComments() {
        Map<String, String> statements = SqlFile.statementsOf("test.sql", """
                -- A file.

                -- name: one
                -- Why it is so.
                select 1; -- and here
                select 2;

                -- name: two
                select 3;
                """);

        assertThat(statements).containsExactly(Map.entry("one", "select 1;\nselect 2"), Map.entry("two", "select 3"));
    }

    @Test
    void twoStatementsOfOneNameAreRefused() {
        assertThatThrownBy(() -> SqlFile.statementsOf("test.sql", "-- name: a\nselect 1;\n-- name: a\nselect 2;"))
                .hasMessage("test.sql has two statements a");
    }

    @Test
    void sqlWithoutANameIsRefused() {
        assertThatThrownBy(() -> SqlFile.statementsOf("test.sql", "select 1;\n-- name: a\nselect 2;"))
                .hasMessageContaining("before its first name");
    }
}
