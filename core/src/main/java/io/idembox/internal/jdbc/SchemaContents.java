// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the shipped files make, and what of it is in a database: tables, their columns and indexes, views. Pure, but for the look. */
final class SchemaContents {

    private static final Pattern TABLE = Pattern.compile("create table (\\w+) \\(\\n(.*?)\\n\\)", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile("(?m)^ {4}(?!primary|unique|check|constraint)(\\w+) ");
    private static final Pattern VIEW = Pattern.compile("create view (\\w+) as");
    private static final Pattern INDEX = Pattern.compile("create (?:unique )?index (\\w+) on");

    private SchemaContents() {}

    /** Of a script, in its order. */
    static Set<String> of(String script) {
        Set<String> all = new LinkedHashSet<>();
        Matcher table = TABLE.matcher(script);
        while (table.find()) {
            all.add("table " + table.group(1));
            Matcher column = COLUMN.matcher(table.group(2));
            while (column.find()) {
                all.add("column " + table.group(1) + "." + column.group(1));
            }
        }
        names(VIEW, script).forEach(name -> all.add("view " + name));
        names(INDEX, script).forEach(name -> all.add("index " + name));
        return all;
    }

    private static List<String> names(Pattern pattern, String script) {
        return pattern.matcher(script).results().map(found -> found.group(1)).toList();
    }

    /** What a script makes and a schema does not have. */
    static List<String> missing(String script, Connection connection, String schema) throws SQLException {
        Set<String> found = new TreeSet<>();
        DatabaseMetaData look = connection.getMetaData();
        try (ResultSet rows = look.getTables(null, schema, null, null)) {
            while (rows.next()) {
                String kind = rows.getString("TABLE_TYPE").contains("VIEW") ? "view " : "table ";
                found.add(kind + lower(rows, "TABLE_NAME"));
            }
        }
        try (ResultSet rows = look.getColumns(null, schema, null, null)) {
            while (rows.next()) {
                found.add("column " + lower(rows, "TABLE_NAME") + "." + lower(rows, "COLUMN_NAME"));
            }
        }
        Set<String> wanted = of(script);
        for (String table : names(TABLE, script)) {
            addIndexes(look, schema, table, found);
        }
        return wanted.stream().filter(each -> !found.contains(each)).toList();
    }

    private static void addIndexes(DatabaseMetaData look, String schema, String table, Set<String> found)
            throws SQLException {
        String name = look.storesUpperCaseIdentifiers() ? table.toUpperCase(Locale.ROOT) : table;
        try (ResultSet rows = look.getIndexInfo(null, schema, name, false, true)) {
            while (rows.next()) {
                if (rows.getString("INDEX_NAME") != null) {
                    found.add("index " + lower(rows, "INDEX_NAME"));
                }
            }
        }
    }

    private static String lower(ResultSet rows, String column) throws SQLException {
        return rows.getString(column).toLowerCase(Locale.ROOT);
    }
}
