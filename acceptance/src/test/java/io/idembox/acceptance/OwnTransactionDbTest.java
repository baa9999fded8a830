// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandleResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** {@code handle(connection, ...)} leaves nothing of its own in the transaction of the caller. */
class OwnTransactionDbTest extends DatabaseTest {

    @Test
    void noSavepointOfTheInboxIsLeftInTheTransactionOfTheCaller() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "savepoints on H2 have no names to look for");
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            for (String id : new String[] {"1", "2", "1"}) {
                inbox.handle(connection, "billing", message(id), DatabaseTest::effect);
            }
            assertNoneLeft(connection);
        }
    }

    @Test
    void noSavepointIsLeftBehindAHandlerThatFailed() throws Exception {
        Assumptions.assumeTrue(isPostgres(), "savepoints on H2 have no names to look for");
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> inbox.handle(connection, "billing", message("1"), context -> {
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
            assertNoneLeft(connection);
        }
    }

    private static void assertNoneLeft(Connection connection) throws SQLException {
        for (String name : new String[] {"idembox_message", "idembox_batch", "idembox_wait"}) {
            var before = connection.setSavepoint();
            try (Statement statement = connection.createStatement()) {
                assertThatThrownBy(() -> statement.execute("release savepoint " + name))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                error -> assertThat(error.getSQLState()).isEqualTo("3B001"));
            }
            connection.rollback(before);
        }
    }

    @Test
    void whatTheInboxReleasedIsStillUndoneByTheCaller() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(inbox.handle(connection, "billing", message("1"), DatabaseTest::effect))
                    .isEqualTo(HandleResult.FIRST_TIME);
            connection.rollback();
            assertThat(inbox.handle(connection, "billing", message("1"), DatabaseTest::effect))
                    .isEqualTo(HandleResult.FIRST_TIME);
            connection.commit();
        }
        assertThat(effects()).containsExactly("1");
    }
}
