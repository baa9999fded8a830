// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import static io.idembox.internal.filter.Operator.CONTAINS;
import static io.idembox.internal.filter.Operator.EQUAL;
import static io.idembox.internal.filter.Operator.GREATER;
import static io.idembox.internal.filter.Operator.GREATER_OR_EQUAL;
import static io.idembox.internal.filter.Operator.IN;
import static io.idembox.internal.filter.Operator.LESS;
import static io.idembox.internal.filter.Operator.LESS_OR_EQUAL;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The fields of the filter language, with the operators that each supports. */
enum Field {
    CONSUMER(EQUAL),
    STATUS(EQUAL, IN),
    SOURCE(EQUAL),
    ID(EQUAL),
    KEY(EQUAL),
    TYPE(EQUAL),
    ERROR(EQUAL, CONTAINS),
    REASON(EQUAL),
    GROUP(EQUAL),
    RECEIVED(GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL),
    ATTEMPTS(EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL);

    private final List<Operator> operators;

    Field(Operator... operators) {
        this.operators = List.of(operators);
    }

    /** Returns the name as written in filters. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    List<Operator> operators() {
        return operators;
    }

    static Optional<Field> of(String text) {
        return Stream.of(values())
                .filter(field -> field.word().equals(text.toLowerCase(Locale.ROOT)))
                .findFirst();
    }

    static List<String> words() {
        return Stream.of(values()).map(Field::word).toList();
    }
}
