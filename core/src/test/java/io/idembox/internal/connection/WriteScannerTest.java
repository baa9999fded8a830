// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WriteScannerTest {

    @ParameterizedTest
    @MethodSource
    void writesAreNamedByTheirFirstWords(String expected, String sql) {
        assertThat(WriteScanner.in(sql)).isEqualTo(expected);
    }

    static Stream<Arguments> writesAreNamedByTheirFirstWords() {
        return Stream.of(
                arguments("insert into charge", "insert into charge (id) values (?)"),
                arguments("insert into shop.charge", "INSERT\n INTO /* x */ Shop.Charge values (1, 'secret')"),
                arguments("insert into \"Charge\"", "insert into \"Charge\" values (1)"),
                arguments("insert into a", "-- select\n insert into a select * from b"),
                arguments("update charge", "update charge set secret = 'x' where id = 1"),
                arguments("update charge", "update only charge set id = 1"),
                arguments("delete from charge", "delete from charge where id = 'x'"),
                arguments("merge into charge", "merge into charge using dual on (id = 1) when matched then delete"),
                arguments("call book", "call book(1, 'x')"),
                arguments("call book", "{call book(?)}"),
                arguments("call book", "{ ? = call book(?) }"),
                arguments("do", "do $$ begin insert into secret values (1); end $$"),
                arguments("truncate table charge", "truncate table charge"),
                arguments("create table copy_of", "create table copy_of as select 1"),
                arguments("alter table charge", "alter table charge add secret int default 7"),
                arguments("drop table charge", "drop table charge"),
                arguments("refresh materialized view", "refresh materialized view totals"),
                arguments("copy charge from", "copy charge from stdin"),
                arguments("copy charge", "copy charge (a, b) from '/tmp/x'"),
                arguments("select into copy_of", "select * into copy_of from charge"),
                arguments("insert into b", "with a as (select 1) insert into b select * from a"),
                arguments("insert into b", "with a as (insert into b values (1) returning id) select * from a"),
                arguments("update b", "with a as materialized (select 1) update b set x = 1 from a"),
                arguments("delete from b", "with a as (delete from only b returning *) select * from a"),
                arguments("insert into b", "select 'a;b'; insert into b values (1)"),
                arguments("insert into b", "set search_path to x; (select 1); insert into b values (1)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "select 1",
                "select * from charge where note = 'insert into x' or note = $$ delete from y $$",
                "select * from charge for update",
                "select * from charge where (id = 1) for no key update skip locked",
                "select \"update\", lower(comment), max(update), coalesce(delete, 1) from t",
                "with a as (select 1) select * from a for update",
                "/* insert into x */ select 1 -- insert into x",
                "copy charge to stdout",
                "copy (select * from charge) to stdout",
                "values (1)",
                "show search_path",
                "set local lock_timeout = '1s'",
                "begin",
                "commit",
                "savepoint s",
                "lock table charge",
                "explain insert into charge values (1)"
            })
    void readsAreNot(String sql) {
        assertThat(WriteScanner.in(sql)).isNull();
    }

    @Test
    void aNameCannotBeLongerThanALine() {
        assertThat(WriteScanner.in("insert into " + "x".repeat(5_000))).hasSize(120);
    }

    @Test
    void anyTextIsReadToItsEnd() {
        Random random = new Random(7);
        String[] parts = {
            "insert ", "into ", "E'\\", "'", "\"", "$$", "$a$", "/*", "*/", "--", "\n", "(", ")", ";", "x", "é"
        };
        for (int i = 0; i < 20_000; i++) {
            StringBuilder sql = new StringBuilder();
            random.ints(random.nextInt(12), 0, parts.length).forEach(part -> sql.append(parts[part]));
            assertThatCode(() -> WriteScanner.in(sql.toString()))
                    .as(sql.toString())
                    .doesNotThrowAnyException();
        }
    }
}
