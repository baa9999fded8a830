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
final class FilterPredicates {

    private final List<FilterPredicate> tests = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();

    private interface Value {
        void to(Binder binder) throws SQLException;
    }

    private FilterPredicates() {}

    static FilterPredicates of(Filter filter) {
        FilterPredicates all = new FilterPredicates();
        Filter.ContentFilter contentFilter = filter.contentFilter();
        // With an id, its source was looked at when the id was looked for.
        all.text(FilterPredicate.SOURCE, contentFilter.id() == null ? contentFilter.source() : null);
        all.text(FilterPredicate.KEY, contentFilter.key());
        all.text(FilterPredicate.TYPE, contentFilter.type());
        all.text(FilterPredicate.ERROR_CLASS, filter.failure().errorClass());
        filter.failure().errorTexts().forEach(all::errorContains);
        all.text(FilterPredicate.REASON, filter.failure().reason());
        all.uuid(FilterPredicate.GROUP, filter.failure().group());
        all.time(FilterPredicate.RECEIVED_AFTER, filter.receivedBetween().after());
        all.time(FilterPredicate.RECEIVED_BEFORE, filter.receivedBetween().before());
        if (filter.attemptRange().least() > 0) {
            all.number(FilterPredicate.ATTEMPTS_AT_LEAST, filter.attemptRange().least());
        }
        if (filter.attemptRange().most() < Integer.MAX_VALUE) {
            all.number(FilterPredicate.ATTEMPTS_AT_MOST, filter.attemptRange().most());
        }
        return all;
    }

    private void text(FilterPredicate test, @Nullable String value) {
        if (value != null) {
            add(test, binder -> binder.text(value));
        }
    }

    private void errorContains(String text) {
        String pattern = FilterPredicate.containing(text);
        add(FilterPredicate.ERROR_CONTAINS, binder -> binder.text(pattern).text(pattern));
    }

    private void time(FilterPredicate test, @Nullable Instant value) {
        if (value != null) {
            add(test, binder -> binder.instant(value));
        }
    }

    private void uuid(FilterPredicate test, @Nullable UUID value) {
        if (value != null) {
            add(test, binder -> binder.token(value));
        }
    }

    private void number(FilterPredicate test, int value) {
        add(test, binder -> binder.number(value));
    }

    private void add(FilterPredicate test, Value value) {
        tests.add(test);
        values.add(value);
    }

    /** A statement with these in it: which ones, the filter says; their texts are those of {@link FilterPredicate}. */
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
