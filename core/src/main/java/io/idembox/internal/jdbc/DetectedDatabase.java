// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.InboxConfigurationException;
import io.idembox.internal.engine.WorkNotifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A database that was recognised, and where in it the tables belong. */
public final class DetectedDatabase {

    private final DataSource dataSource;
    private final Database database;
    private final TableNames tables;
    private final String version;

    private DetectedDatabase(DataSource dataSource, Database database, TableNames tables, String version) {
        this.dataSource = dataSource;
        this.database = database;
        this.tables = tables;
        this.version = version;
    }

    /** Recognises the database. A null schema means the one new connections are in. */
    public static DetectedDatabase to(DataSource dataSource, @Nullable String schema, String prefix) {
        TableNames.checkPrefix(prefix);
        try (Connection connection = dataSource.getConnection()) {
            Database database = Database.of(connection);
            Connections.checkFirst(connection, database);
            connection.setAutoCommit(true);
            String found =
                    Objects.requireNonNullElse(schema, Objects.requireNonNullElse(connection.getSchema(), "public"));
            return new DetectedDatabase(
                    dataSource,
                    database,
                    new TableNames(found, prefix),
                    connection.getMetaData().getDatabaseProductVersion());
        } catch (SQLException error) {
            throw SqlErrors.unavailable(
                    "answer when the inbox was started: is the DataSource open and the server up?", error);
        }
    }

    /** Creates or validates the tables, refuses unsafe settings, and opens the store. */
    public JdbcInboxStore open(boolean create, boolean lossAccepted, StoreSettings settings) {
        Schema schema = new Schema(database, tables);
        if (create) {
            schema.create(dataSource);
        }
        schema.validate(dataSource);
        StoreSettings.Sessions seen = new StartupChecks(dataSource, database, tables, lossAccepted).run();
        return new JdbcInboxStore(dataSource, database, tables, settings.with(seen));
    }

    /** How nodes tell each other, on sessions of the other DataSource. */
    public WorkNotifier notices(DataSource sessions) {
        return switch (database) {
            case POSTGRESQL -> PostgresWorkNotifier.on(sessions, tables);
            case H2 ->
                throw new InboxConfigurationException(
                        "listenOn(...) needs PostgreSQL: H2 has no notifications. Leave it out; whatever is stored in this"
                                + " process wakes its workers at once, and others look every work.poll.");
        };
    }

    @Override
    public String toString() {
        return database.folder() + " " + version + ", schema " + tables.schema() + ", tables " + tables.prefix() + "*";
    }
}
