// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.outbox;

import io.idembox.Failure;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.ExternalWork;
import io.idembox.internal.engine.FailureOutcome;
import io.idembox.internal.engine.FailureRules;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.PauseControl;
import io.idembox.spi.PublishResult;
import io.idembox.spi.Publisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes what was sent to one destination. In rounds: a round has one message of each key, and the next one of a key is
 * published when the broker has confirmed the one in front of it. So a message that fails is never overtaken, whatever the
 * broker's client does about its own retries.
 *
 * <p>A round in which the broker took nothing, while nobody else's got through either, is an outage: nobody pays an attempt,
 * and the destination rests for a while. Thread-safe.
 */
public final class Relay implements ExternalWork {

    private static final Logger log = LoggerFactory.getLogger(Relay.class);

    private static final Duration FIRST_REST = Duration.ofMillis(200);
    private static final Duration LONGEST_REST = Duration.ofSeconds(30);
    private static final String CHANGED_ITS_MIND =
            "The publisher answered for another number of messages than it was given";

    private final String destination;
    private final Publisher publisher;
    private final FailureRules rules;
    private final InstantSource clock;
    private final PauseControl pauseControl;
    private final int followers;
    private final AtomicLong lastConfirmed = new AtomicLong(Long.MIN_VALUE);
    private final AtomicInteger outages = new AtomicInteger();

    /** @param followers how many messages of a key are worked on under one lease, beside the first */
    public Relay(
            String destination,
            Publisher publisher,
            FailureRules rules,
            InstantSource clock,
            PauseControl pauseControl,
            int followers) {
        this.destination = destination;
        this.publisher = publisher;
        this.rules = rules;
        this.clock = clock;
        this.pauseControl = pauseControl;
        this.followers = followers;
    }

    @Override
    public int followers() {
        return followers;
    }

    @Override
    public void run(List<ClaimedMessage> members, LeaseRenewal.Shift shift, Consumer<Done> told)
            throws InterruptedException {
        Collection<Deque<ClaimedMessage>> queues = byKey(members);
        while (!queues.isEmpty()) {
            // Whoever stood still for longer than its lease must not publish what its successor has published since.
            // It still may, if it stands still on the next line: then the id is the same, and the inbox at the other
            // end knows it.
            if (shift.isStale()) {
                return;
            }
            shift.progress();
            List<Deque<ClaimedMessage>> round = new ArrayList<>(queues);
            if (!publish(round, told)) {
                return;
            }
            queues = round.stream().filter(queue -> !queue.isEmpty()).toList();
        }
    }

    /** Messages of one key in their order; one without a key is a key of its own. */
    private static Collection<Deque<ClaimedMessage>> byKey(List<ClaimedMessage> members) {
        Map<Object, Deque<ClaimedMessage>> queues = new LinkedHashMap<>();
        for (ClaimedMessage member : members) {
            Object key = member.key() == null ? member : member.key();
            queues.computeIfAbsent(key, first -> new ArrayDeque<>()).add(member);
        }
        return queues.values();
    }

    /** Publishes the first one of each queue; false when the broker is away. Who did not get through stays alone in front. */
    private boolean publish(List<Deque<ClaimedMessage>> round, Consumer<Done> told) throws InterruptedException {
        List<ClaimedMessage> first = round.stream().map(Deque::getFirst).toList();
        Instant startedAt = clock.instant();
        long began = System.nanoTime();
        List<PublishResult> answers =
                ask(first.stream().map(ClaimedMessage::message).toList());
        boolean some = answers.stream().anyMatch(answer -> answer instanceof PublishResult.Confirmed);
        if (some) {
            lastConfirmed.accumulateAndGet(System.nanoTime(), Math::max);
            outages.set(0);
        } else if (isOutage(answers, began)) {
            rest(((PublishResult.Failed) answers.get(0)).cause());
            return false;
        }
        for (int nth = 0; nth < first.size(); nth++) {
            Deque<ClaimedMessage> queue = round.get(nth);
            ClaimedMessage member = queue.removeFirst();
            PublishResult answer = answers.get(nth);
            if (answer instanceof PublishResult.Confirmed confirmed) {
                told.accept(Done.done(member, whereOf(confirmed), startedAt));
            } else {
                told.accept(Done.failed(member, outcomeOf(answer, member), startedAt));
                queue.clear();
            }
        }
        return true;
    }

    private List<PublishResult> ask(List<Message> messages) throws InterruptedException {
        try {
            List<PublishResult> answers = publisher.publish(destination, messages);
            return answers.size() == messages.size()
                    ? answers
                    : allFailed(messages, new IllegalStateException(CHANGED_ITS_MIND));
        } catch (VirtualMachineError serious) {
            throw serious;
        } catch (RuntimeException thrown) {
            return allFailed(messages, thrown);
        } catch (Error broken) {
            // A native library that does not load, for example. That is about the publisher, and not about any message.
            return allFailed(messages, new IllegalStateException("The publisher is of no use: " + broken, broken));
        }
    }

    private static List<PublishResult> allFailed(List<Message> messages, RuntimeException why) {
        return Collections.nCopies(messages.size(), new PublishResult.Failed(why));
    }

    /** Nothing got through, nothing was refused for what it is, and nobody else's got through since. */
    private boolean isOutage(List<PublishResult> answers, long began) {
        long last = lastConfirmed.get();
        return answers.stream().allMatch(answer -> answer instanceof PublishResult.Failed)
                && (last == Long.MIN_VALUE || last - began < 0);
    }

    private void rest(Throwable why) {
        int before = Math.min(outages.getAndIncrement(), 10);
        Duration rest = FIRST_REST.multipliedBy(1L << before);
        Duration bounded = rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST;
        String words = rules.failureOf(why).summary();
        if (before == 0) {
            log.warn(
                    "Nothing gets through to {}: {}. Messages are kept, no attempt is counted, and it is tried again by itself.",
                    destination,
                    words.replaceFirst("\\.+$", ""));
        }
        pauseControl.rest(bounded, "nothing gets through to " + destination + ": " + words);
    }

    private FailureOutcome outcomeOf(PublishResult answer, ClaimedMessage member) {
        if (answer instanceof PublishResult.Refused refused) {
            Failure told = rules.failureOf(refused.cause());
            Failure failure = ErrorText.refusal(
                    Failure.Kind.PARK,
                    told.errorClass(),
                    "The broker does not take this message to " + destination + ": " + told.message()
                            + ". It is parked, and others of its key wait behind it unless the policy lets them pass. Mend the"
                            + " cause and redrive it, or discard it.");
            return FailureOutcome.parked("REFUSED", failure);
        }
        Throwable cause = ((PublishResult.Failed) answer).cause();
        return rules.outcomeOf(rules.failureOf(cause), member.snapshot().failures(), FailureRules.askedPause(cause));
    }

    private static @Nullable Payload whereOf(PublishResult.Confirmed confirmed) {
        String where = confirmed.where();
        return where == null ? null : Payload.of(where.getBytes(StandardCharsets.UTF_8), "text/plain");
    }
}
