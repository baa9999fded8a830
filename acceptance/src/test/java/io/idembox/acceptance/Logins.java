// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.InboxSchema;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.postgres.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database with the shipped roles, and a login with each of them. */
final class Logins {

    /** The roles that are shipped. */
    enum Role {
        MIGRATOR,
        APP,
        JANITOR,
        VIEWER,
        OPERATOR,
        AUDIT;

        String shipped() {
            return InboxSchema.DEFAULT_PREFIX + name().toLowerCase(Locale.ROOT);
        }
    }

    private final PostgresDatabase database = PostgresServer.shared().freshDatabase();

    Logins() {
        Inbox.on(database.dataSource()).createSchema().start().close();
        String script = InboxSchema.roles("postgresql", InboxSchema.DEFAULT_PREFIX);
        run(database.dataSource(), script);
        run(database.dataSource(), script);
        for (Role role : Role.values()) {
            run(
                    database.dataSource(),
                    "create role " + login(role) + " login; grant " + role.shipped() + " to " + login(role));
        }
        run(
                database.dataSource(),
                "create table effect (id varchar(100) not null, note varchar(100));"
                        + " grant insert, select on effect to idembox_app");
    }

    /** Roles and logins are those of the whole server. */
    private String login(Role role) {
        return database.name() + "_" + role.name().toLowerCase(Locale.ROOT);
    }

    DataSource as(Role role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(database.jdbcUrl());
        dataSource.setUser(login(role));
        return dataSource;
    }

    /** A login that is an application and an operator. */
    DataSource asApplicationOfOperators() {
        run(superuser(), "grant " + Role.OPERATOR.shipped() + " to " + login(Role.APP));
        return as(Role.APP);
    }

    /** It is an application only, again. */
    void withoutOperators() {
        run(superuser(), "revoke " + Role.OPERATOR.shipped() + " from " + login(Role.APP));
    }

    /** What nobody gets with a role. */
    void letReadAndEdit(Role role) {
        run(superuser(), "grant select, insert on idembox_body to " + login(role));
    }

    void letNobodyReadAndEdit(Role role) {
        run(superuser(), "revoke select, insert on idembox_body from " + login(role));
    }

    /** Whoever may do everything. */
    DataSource superuser() {
        return database.dataSource();
    }

    static int run(DataSource dataSource, String sql) {
        try (Connection connection = dataSource.getConnection()) {
            return run(connection, sql);
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    /** How many rows it changed, or found. */
    static int run(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            if (!statement.execute()) {
                return statement.getUpdateCount();
            }
            int found = 0;
            try (ResultSet rows = statement.getResultSet()) {
                while (rows.next()) {
                    found++;
                }
            }
            return found;
        }
    }

    List<String> list(String query) {
        try (Connection connection = superuser().getConnection();
                PreparedStatement statement = connection.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(String.valueOf(rows.getString(1)));
            }
            return all;
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }
}
