// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.operations;

import io.idembox.acceptance.programme.Sight;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** What there is in the database. Thread-safe. */
final class Scene extends Sight {

    Scene(DataSource dataSource) {
        super(dataSource);
    }

    void create() throws SQLException {
        run("create table bank (open boolean not null)");
        run("insert into bank (open) values (false)");
        run("create table notice (id text not null)");
        run("create table balance (id text not null primary key, booked int not null, digest text not null)");
    }

    void openTheBank() throws SQLException {
        run("update bank set open = true");
    }

    int count(String what) throws SQLException {
        return Integer.parseInt(one("select count(*) from " + what));
    }

    int unfinished(String consumer) throws SQLException {
        return count("idembox_entry where consumer_id = (select consumer_id from idembox_consumer where name = '"
                + consumer + "') and state not in ('FAILED_TERMINAL', 'PARKED', 'DISCARDED')");
    }

    Map<String, String> balances() throws SQLException {
        Map<String, String> rows = new TreeMap<>();
        forRows("select id, booked || ' ' || digest from balance", row -> rows.put(row.getString(1), row.getString(2)));
        return rows;
    }
}
