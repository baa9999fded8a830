// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The request of a client. */
record ChargeRequest(String account, long cents) {

    private static final Pattern ACCOUNT = Pattern.compile("\"account\"\\s*:\\s*\"([^\"\\\\\\p{Cntrl}]{1,200})\"");
    private static final Pattern CENTS = Pattern.compile("\"cents\"\\s*:\\s*([1-9][0-9]{0,14})\\s*[,}]");

    /** Parses {@code {"account":"a-1","cents":500}}; empty for any other text. */
    static Optional<ChargeRequest> in(String json) {
        Matcher account = ACCOUNT.matcher(json);
        Matcher cents = CENTS.matcher(json);
        return account.find() && cents.find()
                ? Optional.of(new ChargeRequest(account.group(1), Long.parseLong(cents.group(1))))
                : Optional.empty();
    }
}
