// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.idembox.HandlerContext;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.acceptance.Logins.Role;
import io.idembox.admin.Operation;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The shipped roles: the database refuses every statement that is not the work of a role. */
class RoleRefusalsDbTest {

    private static final Logins LOGINS = new Logins();

    /** A completed message, a parked message and an operation, for the statements to find. */
    @BeforeAll
    static void fill() {
        try (Inbox app = Inbox.on(LOGINS.as(Role.APP)).start();
                Inbox operator = Inbox.on(LOGINS.as(Role.OPERATOR)).start()) {
            app.handle("forbidden", message("done"), ctx -> ctx.result("{}"));
            app.handle("forbidden", message("parked"), RoleRefusalsDbTest::park);
            operator.admin().pause("forbidden", Operation.of("anna", "so that there is an operation"));
        }
    }

    private static void park(HandlerContext ctx) {
        throw HandlerException.park("look at it for " + ctx.id().id());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "APP      | update idembox_ledger set kind = 'S'",
                "APP      | update idembox_ledger set arrival = 0",
                "APP      | truncate idembox_ledger",
                "APP      | update idembox_body set payload = null",
                "APP      | update idembox_attempt set error = ''",
                "APP      | delete from idembox_attempt",
                "APP      | delete from idembox_step",
                "APP      | update idembox_outcome set result = null",
                "APP      | update idembox_consumer set paused_at = null",
                "APP      | delete from idembox_consumer",
                "APP      | select * from idembox_operation",
                "APP      | insert into idembox_operation select * from idembox_operation",
                "APP      | update idembox_operation set by_whom = 'eve'",
                "OPERATOR | update idembox_campaign set kind = 'DISCARD'",
                "APP      | delete from idembox_operation",
                "APP      | update idembox_audit_head set number = 0",
                "APP      | insert into idembox_note values (0, gen_random_uuid(), 'x', 'eve', now())",
                "APP      | alter table idembox_ledger disable row level security",
                "APP      | drop table idembox_ledger",
                "APP      | create table other (id int)",
                "JANITOR  | select payload from idembox_body",
                "JANITOR  | select headers from idembox_body",
                "JANITOR  | select result from idembox_outcome",
                "JANITOR  | insert into idembox_ledger select * from idembox_ledger",
                "JANITOR  | update idembox_ledger set kind = 'S'",
                "JANITOR  | delete from idembox_operation",
                "JANITOR  | update idembox_audit_head set number = 0",
                "VIEWER   | select payload from idembox_body",
                "VIEWER   | select headers from idembox_body",
                "VIEWER   | select * from idembox_body",
                "VIEWER   | select result from idembox_outcome",
                "VIEWER   | select result from idembox_step",
                "VIEWER   | select number from idembox_audit_head",
                "VIEWER   | update idembox_entry set state = 'DISCARDED'",
                "VIEWER   | delete from idembox_entry",
                "VIEWER   | update idembox_consumer set paused_at = now()",
                "VIEWER   | insert into idembox_note values (0, gen_random_uuid(), 'x', 'eve', now())",
                "OPERATOR | select payload from idembox_body",
                "OPERATOR | delete from idembox_entry",
                "OPERATOR | update idembox_ledger set arrival = 0",
                "OPERATOR | delete from idembox_ledger",
                "OPERATOR | insert into idembox_entry select * from idembox_entry",
                "OPERATOR | update idembox_operation set by_whom = 'eve'",
                "OPERATOR | update idembox_operation set reason = ''",
                "OPERATOR | delete from idembox_operation",
                "OPERATOR | insert into idembox_operation (operation_id, kind, consumer_id, by_whom, reason, given_at, asked, done, arrivals, verdicts, states, number) values ('x', 'PAUSE', 0, 'bob', 'x', now(), 0, 0, '{}', '', '', 99)",
                "OPERATOR | insert into idembox_operation (operation_id, kind, consumer_id, by_whom, reason, given_at, asked, done, arrivals, verdicts, states) values ('x', 'PAUSE', 0, 'bob', 'x', now(), 0, 0, '{}', '', ''); update idembox_operation set number = 0 where operation_id = 'x'",
                "OPERATOR | delete from idembox_audit_head",
                "OPERATOR | insert into idembox_audit_head values (99, '')",
                "AUDIT    | select * from idembox_ledger",
                "AUDIT    | select * from idembox_entry",
                "AUDIT    | select * from idembox_inbox",
                "AUDIT    | select * from idembox_envelope",
                "AUDIT    | update idembox_operation set by_whom = 'eve'",
                "AUDIT    | delete from idembox_operation",
                "AUDIT    | update idembox_audit_head set number = 0"
            })
    void statementsOutsideTheRoleAreRefused(Role role, String sql) {
        assertThatThrownBy(() -> {
                    try (Connection connection = LOGINS.as(role).getConnection()) {
                        Logins.run(connection, sql);
                    }
                })
                .asInstanceOf(type(SQLException.class))
                .satisfies(refused -> assertThat(refused.getSQLState())
                        .as(refused.getMessage())
                        .isEqualTo("42501"));
    }

    /** Rows that a policy hides are not refused but not found. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "APP      | delete from idembox_ledger",
                "OPERATOR | update idembox_operation set done = 0, seal = ''",
                "OPERATOR | update idembox_operation set number = null"
            })
    void protectedRowsAreNotFoundByStatementsThatWouldChangeThem(Role role, String sql) {
        long before = LOGINS.list("select number from idembox_operation where seal <> '' and done is not null")
                .size();

        assertThat(Logins.run(LOGINS.as(role), sql)).isZero();

        assertThat(LOGINS.list("select arrival from idembox_ledger")).isNotEmpty();
        assertThat(LOGINS.list("select number from idembox_operation where seal <> ''"))
                .hasSizeGreaterThanOrEqualTo((int) before)
                .isNotEmpty();
    }
}
