// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

import io.idembox.spi.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** The engine of the consumer processes as it is, or with the fix of one finding reverted around it. */
enum Reverted {
    NOTHING,

    /** A committed offset without a position in the database is trusted, so the messages before it are lost. */
    F1 {
        @Override
        Source source(Source real, String bootstrap) {
            return new TrustedOffsets(real, bootstrap);
        }

        @Override
        boolean isFoundIn(Findings findings) {
            return findings.lost > 0;
        }
    },

    /**
     * Numbers of sources and consumers are trusted when the database went back, so messages are recorded under a number that the
     * database does not have, or that it gives to another name.
     */
    F2 {
        @Override
        DataSource dataSource(DataSource real) {
            return new TrustedNumbers(real);
        }

        @Override
        boolean isFoundIn(Findings findings) {
            return findings.lost > 0 || findings.doubled > 0;
        }
    };

    /** @throws IllegalArgumentException for an unknown name */
    static Reverted named(String name) {
        return fixes().stream()
                .filter(each -> each.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--broken takes: "
                        + fixes().stream().map(Reverted::toString).collect(Collectors.joining(", "))));
    }

    private static List<Reverted> fixes() {
        return Arrays.stream(values()).filter(each -> each != NOTHING).toList();
    }

    /** The database as the inbox sees it. */
    DataSource dataSource(DataSource real) {
        return real;
    }

    /** The source of a consumer. */
    Source source(Source real, String bootstrap) {
        return real;
    }

    /** Whether the effects that the finding is about are wrong; a message that is only late is no proof. */
    boolean isFoundIn(Findings findings) {
        return false;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
