// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NameCacheTest {

    private final NameCache cache = new NameCache(10);

    @Test
    void aNameThatWasJustLearnedIsFoundHoweverManyCameBefore() {
        for (int n = 0; n < 1_000; n++) {
            cache.remember("/" + n, n);
            assertThat(cache.find("/" + n)).isEqualTo(n);
            assertThat(n == 0 ? Integer.valueOf(-1) : cache.find("/" + (n - 1))).isEqualTo(n - 1);
        }
        assertThat(cache.find("/1")).as("it does not grow for ever").isNull();
    }

    @Test
    void aNameThatIsUsedStays() {
        cache.remember("/used", 1);
        for (int n = 0; n < 1_000; n++) {
            cache.remember("/" + n, n);
            assertThat(cache.find("/used")).isEqualTo(1);
        }
    }

    @Test
    void aForgottenNameIsNotFoundInEitherHalf() {
        cache.remember("/gone", 1);
        for (int n = 0; n < 10; n++) {
            cache.remember("/" + n, n);
        }
        cache.forget("/gone");

        assertThat(cache.find("/gone")).isNull();
    }
}
