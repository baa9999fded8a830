// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SqlWordsTest {

    @Test
    void aTextThatEndsInCommitIsACommit() {
        assertThat(SqlWords.kindOf("set constraints all immediate; release savepoint x; commit"))
                .isEqualTo(Step.Kind.COMMIT);
        assertThat(SqlWords.kindOf("COMMIT WORK;\n -- done\n")).isEqualTo(Step.Kind.COMMIT);
        assertThat(SqlWords.kindOf("insert into t values ('; commit')")).isEqualTo(Step.Kind.EXECUTE);
        assertThat(SqlWords.kindOf("rollback to savepoint x")).isEqualTo(Step.Kind.ROLLBACK);
        assertThat(SqlWords.kindOf("savepoint x")).isEqualTo(Step.Kind.SAVEPOINT);
        assertThat(SqlWords.kindOf("")).isEqualTo(Step.Kind.EXECUTE);
    }

    @Test
    void valuesDoNotShow() {
        assertThat(SqlWords.firstWords("insert into t values ('a; secret', 'it''s')"))
                .isEqualTo("insert into t values");
        assertThat(SqlWords.firstWords("update \"my\".t set x = 'secret'")).isEqualTo("update \"my\".t set x");
        assertThat(SqlWords.firstWords("select 12345")).isEqualTo("select");
        assertThat(SqlWords.firstWords("do $x$ begin perform secret(); end $x$"))
                .isEqualTo("do");
        assertThat(SqlWords.firstWords("/* secret */ delete -- secret\n from t"))
                .isEqualTo("delete from t");
    }

    @Test
    void aMultiStatementTextShowsItsLastStatement() {
        assertThat(SqlWords.firstWords("set a; select 1; savepoint b;")).isEqualTo("set a; … savepoint b");
    }
}
