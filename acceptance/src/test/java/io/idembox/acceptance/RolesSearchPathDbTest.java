// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Inbox;
import io.idembox.acceptance.Logins.Role;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether a mark is a login's own is not answered by what the login keeps in a schema of its own. */
class RolesSearchPathDbTest {

    /** Each of them alone makes another answer of at least a part; together they say that every mark is one's own. */
    private static final List<String> DECEPTIONS = List.of(
            "create function own.idembox_is_own(writer xid) returns boolean language sql as 'select true'",
            "create function own.pg_xact_status(id xid8) returns text language sql as $$select 'in progress'$$",
            "create function own.pg_current_xact_id() returns xid8 language sql as $$select cast('3' as xid8)$$",
            "create function own.never(one bigint, other int) returns boolean language sql as 'select false'",
            "create operator own.< (leftarg = bigint, rightarg = int, function = own.never)",
            "set search_path = own, pg_catalog, public");

    @Test
    void functionsAndOperatorsOfALoginMakeNoMarkItsOwn() throws SQLException {
        Logins logins = new Logins();
        Logins.run(logins.superuser(), "create schema own; grant create, usage on schema own to idembox_app");
        try (Inbox app = Inbox.on(logins.as(Role.APP)).start()) {
            app.handle("billing", message("1"), context -> {});
        }
        try (Connection connection = logins.as(Role.APP).getConnection()) {
            for (String deception : DECEPTIONS) {
                Logins.run(connection, deception);
            }

            assertThat(Logins.run(connection, "delete from idembox_ledger")).isZero();
            connection.setAutoCommit(false);
            assertThat(Logins.run(
                            connection,
                            "insert into idembox_ledger (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                                    + " values (-7, now(), gen_random_uuid(), 0, 0, 'D', '\\x07')"))
                    .isEqualTo(1);
            assertThat(Logins.run(connection, "delete from idembox_ledger"))
                    .as("what it wrote itself it takes back")
                    .isEqualTo(1);
            connection.commit();
        }
        assertThat(logins.list("select message_id from idembox_inbox")).containsExactly("1");
    }
}
