// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Deletes an entry without asking whose it is. */
final class Blind {

    private Blind() {}

    static void delete(Connection connection, long arrival) {
        try (PreparedStatement statement = connection.prepareStatement("delete from idembox_entry where arrival = ?")) {
            statement.setLong(1, arrival);
            statement.executeUpdate();
        } catch (SQLException error) {
            throw new IllegalStateException(error);
        }
    }
}
