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

class MessageIsolationTest {

    private final List<String> told = new ArrayList<>();
    private final List<Object> handled = new ArrayList<>();

    @Test
    void causesInACircleEnd() {
        Exception one = new IllegalStateException("one");
        Exception two = new IllegalStateException("two", one);
        one.initCause(two);

        assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(run(throwing(one))).containsExactly(MessageResult.Kind.FAILED));
    }

    @Test
    void onlyTheGuiltyIsUndone() {
        InboxHandler fine = context -> handled.add(context.id().id());

        List<MessageResult.Kind> kinds = run(fine, throwing(new IOException("malformed")), fine);

        assertThat(kinds)
                .containsExactly(MessageResult.Kind.COMPLETED, MessageResult.Kind.FAILED, MessageResult.Kind.COMPLETED);
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
        List<RecordedMessage> due = IntStream.range(0, 8)
                .mapToObj(nth -> Samples.found(Samples.candidate(nth, new HandlerTask.Bulk(handler, nth))))
                .toList();

        List<MessageResult> results = run(due);

        assertThat(handled).containsExactly(0, 1, 2, 3, 4, 6, 7);
        assertThat(results).hasSize(8);
        assertThat(results)
                .filteredOn(result -> result.kind() == MessageResult.Kind.FAILED)
                .extracting(MessageResult::recorded)
                .containsExactly(due.get(5));
    }

    @ParameterizedTest
    @MethodSource
    void threeInARowThatFailAlikeAreAnOutageNobodyPaysFor(Exception outage) {
        InboxHandler down = throwing(outage);
        InboxHandler never = context -> handled.add(context.id().id());

        assertThat(run(down, down, down, never))
                .containsExactly(
                        MessageResult.Kind.HELD,
                        MessageResult.Kind.HELD,
                        MessageResult.Kind.HELD,
                        MessageResult.Kind.HELD);
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
                .containsExactly(
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.FAILED);
    }

    @Test
    void oneThatGoesThroughEndsTheSuspicion() {
        InboxHandler down = throwing(new ConnectException("refused"));
        InboxHandler fine = context -> {};

        assertThat(run(down, down, fine, down, down))
                .containsExactly(
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.COMPLETED,
                        MessageResult.Kind.FAILED,
                        MessageResult.Kind.FAILED);
    }

    private static InboxHandler throwing(Exception exception) {
        return context -> {
            throw exception;
        };
    }

    private List<MessageResult.Kind> run(InboxHandler... handlers) {
        List<RecordedMessage> due = IntStream.range(0, handlers.length)
                .mapToObj(nth -> Samples.found(Samples.candidate(nth, new HandlerTask.Single(handlers[nth]))))
                .toList();
        List<MessageResult> results = run(due);
        return due.stream()
                .map(recorded -> results.stream()
                        .filter(result -> result.recorded().equals(recorded))
                        .findFirst()
                        .orElseThrow()
                        .kind())
                .toList();
    }

    private List<MessageResult> run(List<RecordedMessage> due) {
        FailureRules rules = new FailureRules(RetryPolicy.defaults(), new ErrorText(error -> "primary"), () -> 0.0);
        BatchResults batchResults = new BatchResults(rules, ConsumerPolicy.defaults());
        new MessageIsolation(InstantSource.fixed(Instant.EPOCH))
                .run(Samples.transaction(told), Samples.workplace(), due, batchResults);
        return batchResults.all();
    }
}
