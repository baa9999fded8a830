// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import io.idembox.admin.Filter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What one filter asks of a row, with the values in the order of the texts. Not changed once it is made. */
final class RowTests {

    private final List<RowTest> tests = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();

    private interface Value {
        void to(Binder binder) throws SQLException;
    }

    private RowTests() {}

    static RowTests of(Filter filter) {
        RowTests all = new RowTests();
        Filter.ContentFilter contentFilter = filter.contentFilter();
        // With an id, its source was looked at when the id was looked for.
        all.text(RowTest.SOURCE, contentFilter.id() == null ? contentFilter.source() : null);
        all.text(RowTest.KEY, contentFilter.key());
        all.text(RowTest.TYPE, contentFilter.type());
        all.text(RowTest.ERROR_CLASS, filter.failure().errorClass());
        filter.failure().errorTexts().forEach(all::errorContains);
        all.text(RowTest.REASON, filter.failure().reason());
        all.uuid(RowTest.GROUP, filter.failure().group());
        all.time(RowTest.RECEIVED_AFTER, filter.receivedBetween().after());
        all.time(RowTest.RECEIVED_BEFORE, filter.receivedBetween().before());
        if (filter.attemptRange().least() > 0) {
            all.number(RowTest.ATTEMPTS_AT_LEAST, filter.attemptRange().least());
        }
        if (filter.attemptRange().most() < Integer.MAX_VALUE) {
            all.number(RowTest.ATTEMPTS_AT_MOST, filter.attemptRange().most());
        }
        return all;
    }

    private void text(RowTest test, @Nullable String value) {
        if (value != null) {
            add(test, binder -> binder.text(value));
        }
    }

    private void errorContains(String text) {
        String pattern = RowTest.containing(text);
        add(RowTest.ERROR_CONTAINS, binder -> binder.text(pattern).text(pattern));
    }

    private void time(RowTest test, @Nullable Instant value) {
        if (value != null) {
            add(test, binder -> binder.instant(value));
        }
    }

    private void uuid(RowTest test, @Nullable UUID value) {
        if (value != null) {
            add(test, binder -> binder.token(value));
        }
    }

    private void number(RowTest test, int value) {
        add(test, binder -> binder.number(value));
    }

    private void add(RowTest test, Value value) {
        tests.add(test);
        values.add(value);
    }

    /** A statement with these in it: which ones, the filter says; their texts are those of {@link RowTest}. */
    String in(String statement, Database database) {
        return statement.replace(
                AdminTexts.MORE.strip(),
                tests.stream().map(test -> test.text(database)).collect(Collectors.joining("\n   ")));
    }

    void bind(Binder binder) throws SQLException {
        for (Value value : values) {
            value.to(binder);
        }
    }
}
