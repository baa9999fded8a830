// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.filter;

import java.util.Optional;
import java.util.stream.Stream;

/** The comparison operators of the filter language. */
enum Operator {
    EQUAL("="),
    CONTAINS("~"),
    IN("in"),
    GREATER(">"),
    GREATER_OR_EQUAL(">="),
    LESS("<"),
    LESS_OR_EQUAL("<=");

    private final String symbol;

    Operator(String symbol) {
        this.symbol = symbol;
    }

    String symbol() {
        return symbol;
    }

    static Optional<Operator> of(String text) {
        return Stream.of(values())
                .filter(operator -> operator.symbol.equalsIgnoreCase(text))
                .findFirst();
    }
}
