// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransactionControlScannerTest {

    private static final Duration TERMINATES = Duration.ofSeconds(30);

    @ParameterizedTest
    @MethodSource
    void transactionControlIsRefusedOnEveryDatabase(String expected, String sql) {
        assertThat(where(sql, false)).isEqualTo(expected);
        assertThat(where(sql, true)).isEqualTo(expected);
    }

    static Stream<Arguments> transactionControlIsRefusedOnEveryDatabase() {
        return Stream.of(
                arguments("COMMIT", "commit"),
                arguments("COMMIT", "COMMIT"),
                arguments("COMMIT", "CoMmIt;"),
                arguments("COMMIT", " \t\r\n commit work"),
                arguments("COMMIT", "commit and chain"),
                arguments("COMMIT", "commit prepared 'x'"),
                arguments("COMMIT", "commit/**/"),
                arguments("COMMIT", "commit--"),
                arguments("ROLLBACK", "rollback"),
                arguments("ROLLBACK", "Rollback To Savepoint s"),
                arguments("ROLLBACK", "rollback to s"),
                arguments("BEGIN", "begin"),
                arguments("BEGIN", "begin transaction read only"),
                arguments("END", "end"),
                arguments("ABORT", "abort"),
                arguments("SAVEPOINT", "savepoint s"),
                arguments("RELEASE", "release savepoint s"),
                arguments("START TRANSACTION", "start transaction"),
                arguments("START TRANSACTION", "start /* x */ transaction read only"),
                arguments("START TRANSACTION", "start -- x\n transaction"),
                arguments("PREPARE TRANSACTION", "prepare transaction 'x'"),
                arguments("SET TRANSACTION", "set transaction isolation level serializable"),
                arguments("SET TRANSACTION", "SET\nTRANSACTION READ ONLY"),
                arguments("SET SESSION", "set session characteristics as transaction read only"),
                arguments("SET AUTOCOMMIT", "set autocommit on"),
                arguments("SET ROLE", "set role admin"),
                arguments("SET ROLE", "set local role admin"),
                arguments("SET ROLE", "set /* x */ local -- y\n role none"),
                arguments("SET SYNCHRONOUS_COMMIT", "set synchronous_commit to off"),
                arguments("SET SYNCHRONOUS_COMMIT", "SET LOCAL synchronous_commit = off"),
                arguments("SET AUTOCOMMIT", "SET AUTOCOMMIT = FALSE"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-- x\ncommit",
                "-- x\n-- y\r\ncommit",
                "/* x */ commit",
                "/**/commit",
                "/*/ x */commit",
                "/* a /* b */ c */ commit",
                "/* a /* b /* c */ */ */ -- d\n/* e */commit",
                "/* ' */ commit",
                "-- '\ncommit",
                "(commit)",
                "( (\n/* x */ ( commit",
                "{commit}",
                ";commit",
                ";; ;\n;commit",
                "select 1;commit",
                "select 1; select 2; /* x */ commit; select 3",
                "select 1; (commit)",
                "select ';'; commit",
                "select 'it''s; fine'; commit",
                "select ''; commit",
                "select ''''; commit",
                "select '\\'; commit",
                "select E'\\\\'; commit",
                "select E'a\\'b;'; commit",
                "select e'\\'\\\\'; commit",
                "select \"a;b\"; commit",
                "select \"a\"\"b\"; commit",
                "select \"\\\"; commit",
                "select $$;$$; commit",
                "select $$'$$; commit",
                "select $$$$; commit",
                "select $a$$a$; commit",
                "select $tag$ ; $$ ; $other$ $tag$; commit",
                "select $1, $2; commit",
                "select $1; commit; select $1",
                "select a$; commit",
                "select 1 /* ; */; commit",
                "select 1 -- ;\n; commit",
                "select '--'; commit",
                "select '/*'; commit",
                "select \"--\"; commit",
                "select \"/*\"; commit",
                "select '$$'; commit; select '$$'",
                "select 1 - 2 / 3; commit",
            })
    void aCommitIsFoundBehindWhatLooksLikeSomethingElse(String sql) {
        assertThat(where(sql, false)).isEqualTo("COMMIT");
        assertThat(where(sql, true)).isEqualTo("COMMIT");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\n",
                ";",
                " ; ;; ",
                "?",
                "1",
                "select 1",
                "SELECT 1;",
                "select 1; select 2;",
                "select commit from t",
                "select a as rollback, b as end from t",
                "insert into commit values (1)",
                "update t set begin = 1 where savepoint = 2",
                "delete from t where commit",
                "values (1)",
                "merge into t using s on t.a = s.a when matched then delete",
                "commits",
                "committed",
                "begins; ending; started transaction",
                "with commit as (select 1) select a from commit",
                "with a as (insert into t values (1) returning b), b as (select 2) select b from a",
                "(select 1) union (select 2)",
                "set local lock_timeout = '1s'",
                "set local x",
                "set search_path to app",
                "set transactions = 1",
                "set transaction_timeout = '1s'",
                "set local transaction_timeout = '1s'",
                "set autocommit_x = 1",
                "set roles = 1",
                "set local",
                "set local local role",
                "commit_log",
                "end_of_day",
                "start",
                "set",
                "prepare p as select 1",
                "execute p",
                "call commit_it()",
                "{call commit(?)}",
                "{? = call rollback()}",
                "explain select 1",
                "do $$ begin commit; end $$",
                "select 'commit'",
                "select '; commit'",
                "select 'a''; commit'",
                "select E'\\'; commit'",
                "select e'\\\\\\'; commit'",
                "select \"; commit\"",
                "select \"a\"\"; commit\"",
                "select $$; commit$$",
                "select $$$; commit$$",
                "select $$ a$ ; commit $$",
                "select $a$ $ab ; commit $a$",
                "E'\\'; commit'",
                "select $_t1$; commit; $$; rollback; $T1$ $_t1$",
                "-- commit",
                "-- ; commit\nselect 1",
                "/* commit */ select 1",
                "/* a /* b */ ; commit */ select 1",
                "select 1 -- ; commit",
                "select 1 /* ; commit */",
                "sélect 1; ßommit",
            })
    void otherStatementsAreLeftAlone(String sql) {
        assertThat(where(sql, false)).isNull();
        assertThat(where(sql, true)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create procedure p() begin atomic insert into t values (1); end",
                "create or replace function f() returns int language sql begin /* x */ atomic\n select 1; select 2; END;",
                "create function f() returns int begin atomic select case when true then 1 end; end; select 1",
            })
    void theEndOfAnAtomicBodyIsNotTransactionControl(String sql) {
        assertThat(where(sql, false)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create procedure p() begin atomic insert into t values (1); end; end",
                "create procedure p() begin atomic end; end",
                "create function f() returns text as 'begin atomic'; end",
                "create function f() returns int as $$ begin atomic $$ language sql; end",
                "create function \"begin atomic\"() returns int return 1 /* begin atomic */; end",
                "create table t (begin int, atomic int); end",
                "select 1 as begin, 2 as atomic; end",
                "select begin atomic from t; end",
            })
    void anEndBehindTheBodyIs(String sql) {
        assertThat(where(sql, false)).isEqualTo("END");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'",
                "\"",
                "$",
                "$$",
                "$t",
                "$t$",
                "/",
                "/*",
                "/*/",
                "/* /* */",
                "-",
                "--",
                "E'",
                "E'\\",
                "E'\\'",
                "(",
                "{",
                "select '; commit",
                "select 'a''; commit",
                "select E'a\\; commit",
                "select \"; commit",
                "select $$; commit",
                "select $t$; commit; $$",
                "select /* ; commit",
                "select /* /* */ ; commit",
                "select 1; '",
                "select 1;E'\\",
            })
    void whatIsNeverClosedGoesOnToTheEnd(String sql) {
        assertThat(where(sql, false)).isNull();
        assertThat(where(sql, true)).isNull();
    }

    @ParameterizedTest
    @MethodSource
    void ddlIsRefusedOnlyWhereItCommits(String expected, String sql) {
        assertThat(where(sql, true)).isEqualTo(expected);
        assertThat(where(sql, false)).isNull();
    }

    static Stream<Arguments> ddlIsRefusedOnlyWhereItCommits() {
        return Stream.of(
                arguments("CREATE", "create table t (i int)"),
                arguments("ALTER", "ALTER table t add j int"),
                arguments("DROP", "drop table t"),
                arguments("TRUNCATE", "Truncate table t"),
                arguments("GRANT", "grant select on t to u"),
                arguments("REVOKE", "revoke select on t from u"),
                arguments("COMMENT", "comment on table t is 'x'"),
                arguments("ANALYZE", "analyze"),
                arguments("RENAME", "rename table t to u"),
                arguments("LOCK", "lock tables t read"),
                arguments("UNLOCK", "unlock tables"),
                arguments("CREATE", "/* x */ create index i on t (a)"),
                arguments("DROP", "select 1; drop table t"),
                arguments("ALTER", "select ';'; -- x\n alter table t drop j"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select create from drop",
                "with create as (select 1) select 2",
                "select 'x; drop table t'",
                "insert into alter values ('create')",
                "select 1 /* ; drop table t */",
                "dropped",
            })
    void wordsOfDdlElsewhereAreLeftAlone(String sql) {
        assertThat(where(sql, true)).isNull();
    }

    /** Whatever is closed hides what is in it and nothing behind it. */
    @Test
    void whatFollowsAnyClosedTextIsFound() {
        List<String> closed = List.of(
                "a",
                ", b + 1",
                "(",
                "'x; commit'",
                "'''; commit'''",
                "'\\'",
                "E'\\'; commit'",
                "e'\\\\'",
                "\"; rollback\"",
                "\"a\"\"; commit\"",
                "$$ ; commit ' $$",
                "$t$ ; $$ ; commit $t$",
                "/* ; commit ' */",
                "/* /* */ ; commit */",
                "-- ; commit '\n",
                "; select",
                ";;",
                "; with commit as (select 1) select",
                "- 1 /",
                "$1");
        Random random = new Random(20_261_115);

        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder("select");
            for (int piece = random.nextInt(12); piece > 0; piece--) {
                text.append(' ').append(closed.get(random.nextInt(closed.size())));
            }
            String sql = text.toString();

            assertThat(where(sql, true)).as(sql).isNull();
            assertThat(where(sql + "\n; commit", true)).as(sql).isEqualTo("COMMIT");
            assertThat(where(sql + "\n;drop table t", true)).as(sql).isEqualTo("DROP");
        }
    }

    @Test
    void noTextThrowsOrNeverEnds() {
        String[] pieces = {
            "'",
            "\"",
            "$",
            "$$",
            "$a$",
            "\\",
            "/*",
            "*/",
            "--",
            "\n",
            "\r",
            ";",
            "(",
            "{",
            "E'",
            " ",
            "commit",
            "set",
            "transaction",
            "x",
            "1",
            "\0",
            "é",
            "\ud83d",
            "\ude00",
            "\u00a0",
            "-",
            "/",
            "*"
        };
        Random random = new Random(20_261_116);

        assertTimeoutPreemptively(TERMINATES, () -> {
            for (int i = 0; i < 100_000; i++) {
                StringBuilder text = new StringBuilder();
                for (int piece = random.nextInt(16); piece > 0; piece--) {
                    text.append(pieces[random.nextInt(pieces.length)]);
                }
                where(text.toString(), random.nextBoolean());
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"'", "/*", "*/", "(", ";", "$", "$a", "\"", "--\n", "E'\\", "select 1;", "x"})
    void longTextsEndInTime(String piece) {
        String sql = piece.repeat(20_000);

        assertTimeoutPreemptively(TERMINATES, () -> {
            where(sql, true);
        });
    }

    private static @Nullable String where(String sql, boolean ddlCommits) {
        return TransactionControlScanner.transactionControlIn(sql, ddlCommits);
    }
}
