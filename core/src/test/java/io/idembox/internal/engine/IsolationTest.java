// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.idembox.BatchHandler;
import io.idembox.InboxHandler;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IsolationTest {

    private final List<String> told = new ArrayList<>();
    private final List<Object> handled = new ArrayList<>();

    @Test
    void causesInACircleEnd() {
        Exception one = new IllegalStateException("one");
        Exception two = new IllegalStateException("two", one);
        one.initCause(two);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> assertThat(run(throwing(one))).containsExactly(Ending.Kind.FAILED));
    }

    @Test
    void onlyTheGuiltyIsUndone() {
        InboxHandler fine = context -> handled.add(context.id().id());

        List<Ending.Kind> kinds = run(fine, throwing(new IOException("malformed")), fine);

        assertThat(kinds).containsExactly(Ending.Kind.COMPLETED, Ending.Kind.FAILED, Ending.Kind.COMPLETED);
        assertThat(handled).containsExactly("evt-0", "evt-2");
        assertThat(told)
                .containsSubsequence("saveMessage", "saveMessage", "rollbackToMessage", "saveMessage")
                .containsOnlyOnce("rollbackToMessage");
    }

    @Test
    void aBatchIsHalvedUntilTheGuiltyIsAlone() {
        BatchHandler<Object> handler = (items, connection) -> {
            for (BatchHandler.Item<Object> item : items) {
                if (item.payload().equals(5)) {
                    throw new IllegalStateException();
                }
            }
            items.forEach(item -> handled.add(item.payload()));
        };
        List<Found> due = IntStream.range(0, 8)
                .mapToObj(nth -> Samples.found(Samples.candidate(nth, new Job.Bulk(handler, nth))))
                .toList();

        List<Ending> endings = run(due);

        assertThat(handled).containsExactly(0, 1, 2, 3, 4, 6, 7);
        assertThat(endings).hasSize(8);
        assertThat(endings)
                .filteredOn(ending -> ending.kind() == Ending.Kind.FAILED)
                .extracting(Ending::found)
                .containsExactly(due.get(5));
    }

    @ParameterizedTest
    @MethodSource
    void threeInARowThatFailAlikeAreAnOutageNobodyPaysFor(Exception outage) {
        InboxHandler down = throwing(outage);
        InboxHandler never = context -> handled.add(context.id().id());

        assertThat(run(down, down, down, never))
                .containsExactly(Ending.Kind.HELD, Ending.Kind.HELD, Ending.Kind.HELD, Ending.Kind.HELD);
        assertThat(handled).isEmpty();
    }

    static Stream<Exception> threeInARowThatFailAlikeAreAnOutageNobodyPaysFor() {
        return Stream.of(
                new SQLException("too many connections", "53300"),
                new SQLException("disk", "58030"),
                new SQLException("lock timeout", "55P03"),
                new ConnectException("refused"),
                new IllegalStateException(new SocketTimeoutException()),
                new TimeoutException());
    }

    @Test
    void threeBadMessagesAreNoOutage() {
        InboxHandler bad = throwing(new SQLException("bad", "23505"));

        assertThat(run(bad, bad, bad, bad))
                .containsExactly(Ending.Kind.FAILED, Ending.Kind.FAILED, Ending.Kind.FAILED, Ending.Kind.FAILED);
    }

    @Test
    void oneThatGoesThroughEndsTheSuspicion() {
        InboxHandler down = throwing(new ConnectException("refused"));
        InboxHandler fine = context -> {};

        assertThat(run(down, down, fine, down, down))
                .containsExactly(
                        Ending.Kind.FAILED,
                        Ending.Kind.FAILED,
                        Ending.Kind.COMPLETED,
                        Ending.Kind.FAILED,
                        Ending.Kind.FAILED);
    }

    private static InboxHandler throwing(Exception exception) {
        return context -> {
            throw exception;
        };
    }

    private List<Ending.Kind> run(InboxHandler... handlers) {
        List<Found> due = IntStream.range(0, handlers.length)
                .mapToObj(nth -> Samples.found(Samples.candidate(nth, new Job.Single(handlers[nth]))))
                .toList();
        List<Ending> endings = run(due);
        return due.stream()
                .map(found -> endings.stream()
                        .filter(ending -> ending.found().equals(found))
                        .findFirst()
                        .orElseThrow()
                        .kind())
                .toList();
    }

    private List<Ending> run(List<Found> due) {
        FailureRules rules = new FailureRules(RetryPolicy.defaults(), new ErrorText(error -> "primary"), () -> 0.0);
        Endings endings = new Endings(rules, ConsumerPolicy.defaults());
        new Isolation(InstantSource.fixed(Instant.EPOCH))
                .run(Samples.transaction(told), Samples.workplace(), due, endings);
        return endings.all();
    }
}
