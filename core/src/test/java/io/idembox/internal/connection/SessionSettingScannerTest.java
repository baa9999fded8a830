// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SessionSettingScannerTest {

    @ParameterizedTest
    @MethodSource
    void whatOutlivesTheTransactionIsFound(String expected, String sql) {
        assertThat(refusedIn(sql)).isEqualTo(expected);
    }

    static Stream<Arguments> whatOutlivesTheTransactionIsFound() {
        String config = "set_config without a literal true as is_local";
        return Stream.of(
                arguments("SET SEARCH_PATH", "set search_path to app"),
                arguments("SET SEARCH_PATH", "  /* x */ SET -- y\n search_path = a, b"),
                arguments("SET ROLE", "set \"role\" x"),
                arguments("SET SESSION", "set session statement_timeout = 1"),
                arguments("SET TIME", "set time zone 'UTC'"),
                arguments("SET LOCK_TIMEOUT", "select 1; set lock_timeout 5"),
                arguments("SET LOCAL ROLE", "set local \"role\" x"),
                arguments("SET LOCAL SYNCHRONOUS_COMMIT", "set local \"synchronous_commit\" = off"),
                arguments("SET LOCAL TRANSACTION_READ_ONLY", "set local transaction_read_only = on"),
                arguments("SET LOCAL TRANSACTION_ISOLATION", "set local Transaction_Isolation to 'serializable'"),
                arguments("SET LOCAL TRANSACTION_DEFERRABLE", "set local transaction_deferrable to on"),
                arguments("SET LOCAL ROLE", "select set_config('role', 'x', true)"),
                arguments("SET LOCAL ROLE", "select set_config('Role'::text, 'x', true)"),
                arguments("SET LOCAL SYNCHRONOUS_COMMIT", "select set_config('synchronous_commit', 'local', 'on')"),
                arguments(
                        "SET LOCAL TRANSACTION_READ_ONLY",
                        "select set_config(is_local => true, new_value => 'on', setting_name => 'transaction_read_only')"),
                arguments("RESET ALL", "reset all"),
                arguments("DISCARD TEMP", "discard temp"),
                arguments("LISTEN ORDERS", "listen orders"),
                arguments("UNLISTEN *", "unlisten *"),
                arguments("DEALLOCATE ALL", "deallocate all"),
                arguments("DEALLOCATE ALL", "deallocate prepare all"),
                arguments("USE OTHER", "use other"),
                arguments(config, "select set_config('a', 'b', false)"),
                arguments(config, "select 1 where SET_CONFIG('a', 'b', ?) is null"),
                arguments(config, "select set_config('a', 'b', 'f')"),
                arguments(config, "select set_config('a', 'b', 't' = 'f')"),
                arguments(config, "select set_config('a', 'b', 't'::text = 'f')"),
                arguments(config, "select * from set_config('a', 'b', false)"),
                arguments(config, "select 1 from t join u on set_config('a', 'b', false) is null"),
                arguments(config, "select 1 \"into\" where set_config('a', 'b', false) is null"),
                arguments(config, "insert into t select set_config('a', 'b', false)"),
                arguments("set_config", "select set_config(?, 'b', true)"),
                arguments("set_config", "select set_config('ro' || 'le', 'b', true)"),
                arguments("set_config", "select set_config('ro' 'le', 'b', true)"),
                arguments("set_config", "select set_config(E'role', 'b', true)"),
                arguments("set_config", "select set_config($$role$$, 'b', true)"),
                arguments(
                        "set_config", "select set_config(new_value => 'b', setting_name => f('x'), is_local => true)"),
                arguments("SET LOCAL", "set local U&\"role\" = x"),
                arguments(config, "select set_config('a', 'b', true and false)"),
                arguments(config, "select pg_catalog.set_config ( 'a', f(1, true), 1 = 2 )"),
                arguments(config, "select \"pg_catalog\".\"set_config\"('a', 'b', false)"),
                arguments(config, "select set_config(is_local => false, setting_name => 'a', new_value => 'b')"),
                arguments(config, "with x as (select set_config('a', 'b', false)) select 1"),
                arguments("UPDATE PG_SETTINGS", "update pg_settings set setting = 'off'"),
                arguments("UPDATE PG_SETTINGS", "update \"pg_catalog\" . \"pg_settings\" set setting = 'off'"),
                arguments("UPDATE PG_SETTINGS", "update only pg_catalog.pg_settings set setting = 'off'"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "select 1",
                "set",
                "set local lock_timeout = '1s'",
                "set local search_path to app",
                "set constraints all deferred",
                "set @x = 1",
                "update t set search_path = 1",
                "update t set a = 1; select 'set x = 1; reset all'",
                "select set_config('a', 'b', true)",
                "select pg_catalog.set_config('a', g(',', 2), TRUE)",
                "select set_config(is_local => true, setting_name => 'a', new_value => 'b')",
                "select set_config(setting_name := 'a', new_value := 'b', is_local := true)",
                "set local app.role = 'x'",
                "select set_config('app.role', 'x', true)",
                "select set_config('a', 'b', 'true')",
                "select set_config('a', 'b', 'T'::bool)",
                "select set_config('a', 'b', true::boolean)",
                "select set_config(setting_name => 'a', new_value => 'b', is_local => 'on')",
                "insert into set_config (a) values (1)",
                "insert into app.set_config(a, b) values (1, 2)",
                "create table if not exists set_config (a int)",
                "create table t (a int references set_config (a))",
                "with set_config (a) as (select 1) select a from set_config",
                "select a from t as set_config (a)",
                "update my.pg_settings set a = 1",
                "update only my.pg_settings set a = 1",
                "select set_config from t",
                "select 'set_config(1, 2, false)'",
                "select * from pg_settings where name = 'x'",
                "deallocate mine",
                "insert into listen values ('reset')",
                "-- reset all\nselect 1",
                "settle",
                "set_config",
            })
    void otherStatementsAreLeftAlone(String sql) {
        assertThat(refusedIn(sql)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"set_config(", "set_config(,", "set local", "update", "update only", "set \"", "reset", "("})
    void unfinishedTextsDoNotThrow(String sql) {
        SessionSettingScanner.of(sql);
        SessionSettingScanner.of(sql.repeat(1_000));
    }

    @ParameterizedTest
    @MethodSource
    void localSettingsAreFound(Set<String> expected, String sql) {
        assertThat(Objects.requireNonNull(SessionSettingScanner.of(sql)).local())
                .isEqualTo(expected);
    }

    static Stream<Arguments> localSettingsAreFound() {
        return Stream.of(
                arguments(Set.of("lock_timeout"), "set local lock_timeout = 5"),
                arguments(Set.of("app.tenant"), "set local App.Tenant to 'A'"),
                arguments(Set.of("app.tenant"), "set local \"app\" . \"tenant\" to 'A'"),
                arguments(Set.of("app.tenant"), "set local app. tenant to 'A'"),
                arguments(Set.of("timezone"), "set local time zone 'UTC'"),
                arguments(Set.of("search_path"), "set local schema 'app'"),
                arguments(Set.of("client_encoding"), "set local names 'UTF8'"),
                arguments(Set.of("xmloption"), "set local xml option document"),
                arguments(Set.of(), "set local seed = 0.5"),
                arguments(Set.of(), "set constraints all deferred"),
                arguments(Set.of("a", "b.c"), "set local a = 1; select set_config('b.c', 'x', true)"),
                arguments(Set.of("a"), "with x as (select set_config('A', f(1, ')'), true)) select 1"),
                arguments(Set.of("a"), "select set_config(new_value => 'b', is_local => true, setting_name => 'a')"));
    }

    private static @Nullable String refusedIn(String sql) {
        SessionSettingScanner found = SessionSettingScanner.of(sql);
        SessionSettingScanner.Refused refused = found == null ? null : found.refused();
        return refused == null ? null : refused.words();
    }
}
