// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

/**
 * What a filter may ask of a row, beside what an index answers. The table is closed: a statement gets these texts and
 * no others, and every value is bound.
 */
enum FilterPredicate {
    SOURCE("s.name = cast(? as varchar)"),

    KEY("coalesce(b.message_key, k.name) = cast(? as varchar)"),

    /** Within coalesce, so that PostgreSQL keeps the outer join and with it the way along the entries. */
    TYPE("coalesce(b.event_type = cast(? as varchar), false)"),

    ERROR_CLASS("e.error_class = cast(? as varchar)"),

    /** Twice the same pattern, with {@value #ESCAPE} before what stands for itself. */
    ERROR_CONTAINS("(lower(e.error_class) like lower(cast(? as varchar)) escape '!'"
            + " or lower(e.error) like lower(cast(? as varchar)) escape '!')"),

    REASON("e.reason = cast(? as varchar)"),

    GROUP("{group} = cast(? as uuid)"),

    RECEIVED_AFTER("coalesce(l.received_at, b.received_at, e.changed_at) >= cast(? as {time})"),

    RECEIVED_BEFORE("coalesce(l.received_at, b.received_at, e.changed_at) < cast(? as {time})"),

    ATTEMPTS_AT_LEAST("coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases >= cast(? as int)"),

    ATTEMPTS_AT_MOST("coalesce(e.forgiven, 0) + e.failures + e.crashes + e.releases <= cast(? as int)");

    /** Not a backslash: whether that one has to be doubled in a literal depends on the server's settings. */
    static final String ESCAPE = "!";

    private final Template template;

    FilterPredicate(String text) {
        this.template = new Template("and " + text, "and " + text);
    }

    String text(Database database) {
        return template.in(database);
    }

    /** A pattern for all texts that have this one somewhere, sign by sign. */
    static String containing(String text) {
        return "%"
                + text.replace(ESCAPE, ESCAPE + ESCAPE)
                        .replace("%", ESCAPE + "%")
                        .replace("_", ESCAPE + "_")
                + "%";
    }
}
