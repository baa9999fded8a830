// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.acceptance.programme.Sight;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** The effects, and what the inbox has not finished, as the primary of now shows them. */
final class JournalTable extends Sight {

    JournalTable(DataSource primary) {
        super(primary);
    }

    /**
     * Rows are only ever added. It has no unique key: a second effect has to be seen, not refused. The number is drawn when the
     * row is written, which shows which of two effects of a key came first.
     */
    void create() throws SQLException {
        run("""
            create table journal (
                written     bigint generated always as identity,
                consumer    varchar(20)   not null,
                source      varchar(1000) not null,
                id          varchar(100)  not null,
                message_key varchar(100)  not null,
                process     bigint        not null)
            """);
    }

    int count() throws SQLException {
        return Integer.parseInt(one("select count(*) from journal"));
    }

    int count(String consumer) throws SQLException {
        return Integer.parseInt(one("select count(*) from journal where consumer = '" + consumer + "'"));
    }

    List<Sent.Name> effects(String consumer) throws SQLException {
        List<Sent.Name> effects = new ArrayList<>();
        forRows(
                "select source, id from journal where consumer = '" + consumer + "' order by written",
                row -> effects.add(new Sent.Name(row.getString(1), row.getString(2))));
        return effects;
    }

    /** Of the tables, not of the view: what has lost its source is shown too, as one of no source. */
    Set<Sent.Name> unfinished(String consumer) throws SQLException {
        Set<Sent.Name> unfinished = new HashSet<>();
        forRows(
                "select coalesce(s.name, 'source ' || l.source_id), convert_from(substr(l.id, 2), 'UTF8')"
                        + " from idembox_entry e join idembox_consumer c on c.consumer_id = e.consumer_id"
                        + " join idembox_ledger l on l.consumer_id = e.consumer_id and l.arrival = e.arrival"
                        + " left join idembox_source s on s.source_id = l.source_id where c.name = '" + consumer + "'",
                row -> unfinished.add(new Sent.Name(row.getString(1), row.getString(2))));
        return unfinished;
    }

    /** Entries of all consumers, destinations of the outbox included, by state; empty when everything is done. */
    List<String> entries() throws SQLException {
        return list("select coalesce(c.name, 'consumer ' || e.consumer_id) || ' ' || e.state || ' '"
                + " || coalesce(e.reason || ' ', '') || count(*) from idembox_entry e"
                + " left join idembox_consumer c on c.consumer_id = e.consumer_id"
                + " group by c.name, e.consumer_id, e.state, e.reason order by 1");
    }

    boolean isQuiet() throws SQLException {
        return one("select count(*) from idembox_lease").equals("0")
                && entries().isEmpty();
    }
}
