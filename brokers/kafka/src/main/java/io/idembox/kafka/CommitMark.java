// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What this source writes beside each offset that it commits. The position is written to the database before, so an offset with
 * this mark and no position in the database means that the database lost the position.
 *
 * @param consumer the consumer that committed the offset; empty when a later version wrote the mark in another format
 * @param first where that consumer began to read the partition; empty likewise
 */
record CommitMark(Optional<String> consumer, Optional<Long> first) {

    private static final String NAME = "idembox/";
    private static final Pattern VERSION_1 = Pattern.compile("idembox/1 first=(\\d{1,18}) consumer=(.+)");

    /** Some hundred bytes at most; Kafka allows 4,096 by default. */
    static String text(String consumer, long first) {
        return NAME + "1 first=" + first + " consumer=" + consumer;
    }

    /** Empty when another application committed the offset, or an operator set it. */
    static Optional<CommitMark> in(@Nullable String metadata) {
        if (metadata == null || !metadata.startsWith(NAME)) {
            return Optional.empty();
        }
        Matcher version1 = VERSION_1.matcher(metadata);
        return Optional.of(
                version1.matches()
                        ? new CommitMark(Optional.of(version1.group(2)), Optional.of(Long.parseLong(version1.group(1))))
                        : new CommitMark(Optional.empty(), Optional.empty()));
    }
}
