// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatObject;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlStatesTest {

    @ParameterizedTest
    @CsvSource({
        "40001, true,  false, false",
        "40P01, true,  false, false",
        "40002, false, false, false",
        "40003, false, false, false",
        "08000, false, true,  false",
        "08003, false, true,  false",
        "08006, false, true,  false",
        "57P01, false, true,  false",
        "57P02, false, true,  false",
        "57P03, false, true,  false",
        "57P05, false, true,  false",
        "57014, false, false, false",
        "25P03, false, true,  false",
        "25P04, false, true,  false",
        "25P02, false, false, false",
        "90067, false, true,  false",
        "90098, false, true,  false",
        "90121, false, true,  false",
        "55P03, false, false, true",
        "HYT00, false, false, true",
        "HYT01, false, false, false",
        "55006, false, false, false",
        "23505, false, false, false",
        "'',    false, false, false",
        ",      false, false, false",
    })
    void statesMeanWhatTheyMean(@Nullable String state, boolean contention, boolean loss, boolean lockTimeout) {
        SQLException error = new SQLException("x", state);

        for (Throwable thrown : new Throwable[] {error, new RuntimeException(new IOException(error))}) {
            assertThat(SqlStates.isContention(thrown)).isEqualTo(contention);
            assertThat(SqlStates.isConnectionLoss(thrown)).isEqualTo(loss);
            assertThat(SqlStates.isLockTimeout(thrown)).isEqualTo(lockTimeout);
        }
    }

    @Test
    void nothingMeansNothing() {
        for (Throwable thrown : new @Nullable Throwable[] {null, new IOException("08006")}) {
            assertThatObject(SqlStates.sqlCause(thrown)).isNull();
            assertThat(SqlStates.isContention(thrown)).isFalse();
            assertThat(SqlStates.isConnectionLoss(thrown)).isFalse();
            assertThat(SqlStates.isLockTimeout(thrown)).isFalse();
        }
    }

    @Test
    void theFirstDatabaseErrorCounts() {
        SQLException inner = new SQLException("inner", "40001");
        SQLException outer = new SQLException("outer", "23505", inner);

        assertThatObject(SqlStates.sqlCause(new IllegalStateException(outer))).isSameAs(outer);
        assertThat(SqlStates.isContention(outer)).isFalse();
    }

    @Test
    void causesInACircleEnd() {
        Exception one = new IllegalStateException();
        Exception two = new IOException(one);
        one.initCause(two);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThatObject(SqlStates.sqlCause(one)).isNull());
    }

    @ParameterizedTest
    @CsvSource({"25P03, true", "25P04, true", "57P05, false", "25P02, false", "08006, false", "55P03, false", ", false"
    })
    void sessionsThatTimedOutAreToldFromThoseThatWereLost(@Nullable String state, boolean timeout) {
        assertThat(SqlStates.isSessionTimeout(new SQLException("x", state))).isEqualTo(timeout);
    }

    @Test
    void aMissingStateIsEmpty() {
        assertThat(SqlStates.stateOf(new SQLException())).isEmpty();
        assertThat(SqlStates.stateOf(new SQLException("x", "23505"))).isEqualTo("23505");
    }
}
