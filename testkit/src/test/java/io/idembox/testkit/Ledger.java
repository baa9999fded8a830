// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit;

import io.idembox.HandlerContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** The application table of the tests: charges. */
final class Ledger {

    private final DataSource database;

    Ledger(DataSource database) throws SQLException {
        this.database = database;
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists charge (no int generated always as identity primary key,"
                    + " message_id varchar(100) not null)");
        }
    }

    static void charge(HandlerContext context) throws SQLException {
        charge(context.connection(), context.id().id());
    }

    static void charge(Connection connection, String messageId) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into charge (message_id) values (?)")) {
            insert.setString(1, messageId);
            insert.executeUpdate();
        }
    }

    List<String> charges() {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select message_id from charge order by no")) {
            List<String> charges = new ArrayList<>();
            while (rows.next()) {
                charges.add(rows.getString(1));
            }
            return charges;
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }
}
