// SPDX-License-Identifier: Apache-2.0
package io.idembox.kafka;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The metadata that this source writes with each offset it commits. The position is saved in the database first, so an
 * offset with this mark and no position in the database means that the database lost the position.
 *
 * @param topic the id of the topic; shows a mark that a tool copied to another cluster together with the group's
 *     offsets. Empty when a later version wrote the mark in another format
 * @param consumer the first name of the consumer that committed the offset, which a rename keeps; empty likewise
 * @param first the offset where that consumer started to read the partition; empty likewise
 */
record CommitMark(Optional<String> topic, Optional<String> consumer, Optional<Long> first) {

    private static final String PREFIX = "idembox/";
    private static final Pattern VERSION_1 =
            Pattern.compile("idembox/1 topic=(\\S{1,100}) first=(\\d{1,18}) consumer=(.+)");

    /** Formats a mark: a few hundred bytes at most; Kafka allows 4,096 by default. */
    static String format(String topic, String consumer, long first) {
        return PREFIX + "1 topic=" + topic + " first=" + first + " consumer=" + consumer;
    }

    /** Parses a mark. Empty when another application committed the offset, or an operator set it. */
    static Optional<CommitMark> parse(@Nullable String metadata) {
        if (metadata == null || !metadata.startsWith(PREFIX)) {
            return Optional.empty();
        }
        Matcher version1 = VERSION_1.matcher(metadata);
        return Optional.of(
                version1.matches()
                        ? new CommitMark(
                                Optional.of(version1.group(1)),
                                Optional.of(version1.group(3)),
                                Optional.of(Long.parseLong(version1.group(2))))
                        : new CommitMark(Optional.empty(), Optional.empty(), Optional.empty()));
    }
}
