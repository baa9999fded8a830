// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.programme.Sight;
import java.sql.SQLException;
import java.util.ArrayList;
import javax.sql.DataSource;

/** What there is to be seen, not through the proxy. */
final class Scene extends Sight {

    Scene(DataSource dataSource) {
        super(dataSource);
    }

    /**
     * The business table. It has no unique key: a second effect has to be seen, not refused. The number is drawn when the
     * row is written, so it tells which of two effects came first, if the later one began after the earlier was committed.
     */
    void createEffects() throws SQLException {
        run("""
                create table effect (
                    written     bigint generated always as identity,
                    consumer    varchar(20)  not null,
                    message_key varchar(100) not null,
                    place       int          not null,
                    id          varchar(100) not null,
                    process     bigint       not null,
                    attempt     int          not null)
                """);
    }

    int effects() throws SQLException {
        return Integer.parseInt(one("select count(*) from effect"));
    }

    /** Messages that are in the inbox or have an effect. */
    int known(String consumer) throws SQLException {
        return Integer.parseInt(one("select count(*) from idembox_inbox where consumer = '" + consumer + "'"));
    }

    History history(String consumer) throws SQLException {
        History history = new History(consumer);
        forRows(
                "select id, written from effect where consumer = '" + consumer + "' order by written",
                row -> history.effects()
                        .computeIfAbsent(row.getString(1), id -> new ArrayList<>())
                        .add(row.getLong(2)));
        forRows(
                "select message_id, status, reason, crashes, concat_ws(' ', 'owner', owner, 'due', due_at, 'attempts', attempts,"
                        + " 'position', channel, partition_no, offset_no, error_class) from idembox_inbox where consumer = '"
                        + consumer
                        + "'",
                row -> history.rows()
                        .put(
                                row.getString(1),
                                new History.Row(row.getString(2), row.getString(3), row.getInt(4), row.getString(5))));
        return history;
    }
}
