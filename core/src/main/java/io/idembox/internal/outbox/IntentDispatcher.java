// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.outbox;

import io.idembox.Failure;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.StoreUnavailableException;
import io.idembox.intent.AttemptHistory;
import io.idembox.intent.Intent;
import io.idembox.intent.IntentSender;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.internal.engine.CausationHeaders;
import io.idembox.internal.engine.ClaimedMessage;
import io.idembox.internal.engine.ErrorText;
import io.idembox.internal.engine.ExternalWork;
import io.idembox.internal.engine.FailureOutcome;
import io.idembox.internal.engine.FailureRules;
import io.idembox.internal.engine.LeaseRenewal;
import io.idembox.internal.engine.OutgoingStore;
import io.idembox.internal.engine.PayloadReader;
import io.idembox.policy.IntentPolicy;
import io.idembox.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings intents about, one at a time under a lease of its own. An intent is in doubt when its last try may have been done:
 * its sender said so, threw, or went away. Then the provider is asked before anything is sent again. Thread-safe.
 */
public final class IntentDispatcher<T> implements ExternalWork {

    private static final Logger log = LoggerFactory.getLogger(IntentDispatcher.class);

    /** What the last try left behind when it may have been done. */
    private static final Set<String> IN_DOUBT =
            Set.of(IntentOutcomes.UNKNOWN, IntentOutcomes.STILL_UNKNOWN, OutgoingStore.LEASE_EXPIRED);

    private final What<T> what;
    private final LongFunction<Optional<OutgoingStore.Tries>> triesOf;
    private final FailureRules failures;
    private final IntentOutcomes rules;
    private final InstantSource clock;

    /**
     * What is intended, and who does it.
     *
     * @param consumer whose handlers intend it
     */
    public record What<T>(
            String consumer,
            String name,
            Class<T> request,
            IntentSender<T> sender,
            IntentPolicy policy,
            PayloadCodec codec) {}

    /** @param triesOf what earlier tries of an intent tell, by its arrival number */
    public IntentDispatcher(
            What<T> what,
            LongFunction<Optional<OutgoingStore.Tries>> triesOf,
            FailureRules failures,
            InstantSource clock) {
        this.what = what;
        this.triesOf = triesOf;
        this.failures = failures;
        this.rules = new IntentOutcomes(what.policy(), failures, what.sender() instanceof ReconcilingSender<?>);
        this.clock = clock;
    }

    @Override
    public boolean isIrrevocable() {
        return true;
    }

    @Override
    public void run(List<ClaimedMessage> members, LeaseRenewal.Shift shift, Consumer<Done> told)
            throws InterruptedException {
        for (ClaimedMessage member : members) {
            if (shift.isStale()) {
                return;
            }
            shift.progress();
            Try next;
            try {
                next = new Try(member, shift);
            } catch (StoreUnavailableException unavailable) {
                // Nobody was called: it is given back.
                log.warn(
                        "{}/{}: earlier tries could not be looked up. {}",
                        what.consumer(),
                        what.name(),
                        unavailable.getMessage());
                return;
            }
            next.bring().ifPresent(told);
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException();
            }
        }
    }

    /** One try of one intent. */
    private final class Try {

        private final ClaimedMessage member;
        private final LeaseRenewal.Shift shift;
        private final Instant startedAt = clock.instant();
        private final Optional<OutgoingStore.Tries> before;

        Try(ClaimedMessage member, LeaseRenewal.Shift shift) {
            this.member = member;
            this.shift = shift;
            this.before = member.snapshot().nextAttempt() > 1 ? triesOf.apply(member.arrival()) : Optional.empty();
        }

        /** What became of it; empty when the lease was gone before it was called, so that nothing happened. */
        Optional<Done> bring() {
            Intent<T> intent;
            try {
                intent = intent();
            } catch (RuntimeException | StackOverflowError | LinkageError unreadable) {
                return failed(unreadable(unreadable));
            }
            boolean doubtful =
                    before.map(tries -> IN_DOUBT.contains(tries.lastError())).orElse(false);
            if (doubtful && what.sender() instanceof ReconcilingSender<T> reconciling) {
                return reconcile(reconciling, intent);
            }
            if (isKeyExpired()) {
                return failed(rules.keyExpired());
            }
            if (!doubtful) {
                return send(intent, false);
            }
            return switch (rules.inDoubt(
                    before.map(OutgoingStore.Tries::redriven).orElse(false))) {
                case SEND -> send(intent, true);
                // A human looked, and says that it was not done.
                case SEND_WITHOUT_DOUBT -> send(intent, false);
                case PARK ->
                    failed(IntentOutcomes.parked(
                            "Whoever tried it did not come back. Whether it was done is not known, and the"
                                    + " policy says to leave that to a human (intent.on-unknown: park). Find out at the provider: if it was"
                                    + " done, discard it; if not, redrive it."));
            };
        }

        private boolean isKeyExpired() {
            return before.filter(tries -> tries.firstInDoubt() != null)
                    .map(tries -> rules.isKeyExpired(tries.first(), tries.now()))
                    .orElse(false);
        }

        private Intent<T> intent() {
            var message = member.message();
            T request = PayloadReader.read(what.codec(), message, what.request());
            String cause = message.headers().text(CausationHeaders.CAUSATION).orElse("");
            return new Intent<>(
                    what.consumer(),
                    what.name(),
                    member.id().id(),
                    request,
                    message.headers(),
                    new MessageId(message.source(), cause),
                    tries());
        }

        private AttemptHistory tries() {
            int attempt = member.snapshot().nextAttempt();
            return before.map(tries -> new AttemptHistory(
                            attempt, tries.first(), Duration.between(tries.lastEnded(), tries.now())))
                    .orElseGet(() -> new AttemptHistory(attempt, null, null));
        }

        private Optional<Done> reconcile(ReconcilingSender<T> reconciling, Intent<T> intent) {
            ReconcileResult result;
            try {
                result = reconciling.reconcile(intent);
            } catch (Exception thrown) {
                return stillUnknown("The provider could not be asked what became of it: " + wordsOf(thrown), null);
            }
            if (result instanceof ReconcileResult.WasSent sent) {
                return done(sent.reference());
            }
            if (result instanceof ReconcileResult.WasNotSent) {
                // A provider that has forgotten the key does not find what was done with it.
                return isKeyExpired() ? failed(rules.keyExpired()) : send(intent, false);
            }
            return result instanceof ReconcileResult.NotKnown still
                    ? stillUnknown(still.why(), still.pause())
                    : stillUnknown("The sender was asked what became of it, and answered nothing.", null);
        }

        /** @param inDoubt whether an earlier try may have been done: then a no is only about this one */
        private Optional<Done> send(Intent<T> intent, boolean inDoubt) {
            // Whoever stood still for longer than its lease must not call any more: somebody else may have asked the
            // provider since, and been told that nothing was done.
            if (shift.isStale() || Thread.currentThread().isInterrupted()) {
                return Optional.empty();
            }
            SendResult result;
            try {
                // Crash here, or while the provider works: the lease runs out, and the intent is in doubt.
                result = what.sender().send(intent);
            } catch (Exception thrown) {
                return unknown("The sender did not say what became of it: " + wordsOf(thrown), null);
            }
            if (result instanceof SendResult.Sent sent) {
                return done(sent.reference());
            }
            if (result instanceof SendResult.Retry retry) {
                return inDoubt
                        ? unknown(
                                ErrorText.sentence(retry.why()) + " An earlier try may have been done.", retry.pause())
                        : failed(rules.retry(retry, member.snapshot().failures()));
            }
            if (result instanceof SendResult.Failed no) {
                return failed(
                        inDoubt
                                ? IntentOutcomes.parked(
                                        ErrorText.sentence(no.why())
                                                + " But an earlier try may have been done: find out at the"
                                                + " provider. If it was done, discard it; if not, there is nothing more to do but that.")
                                : rules.failed(no));
            }
            return result instanceof SendResult.Unknown unknown
                    ? unknown(unknown.why(), null)
                    : unknown("The sender did not say what became of it.", null);
        }

        /** An interrupt is not lost: whoever wants the worker back gets it after this has been written down. */
        private String wordsOf(Exception thrown) {
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return failures.failureOf(thrown).summary();
        }

        private Optional<Done> unknown(String why, @Nullable Duration pause) {
            return inDoubt(IntentOutcomes.doubt(why), pause);
        }

        private Optional<Done> stillUnknown(String why, @Nullable Duration pause) {
            return inDoubt(IntentOutcomes.stillInDoubt(why), pause);
        }

        private Optional<Done> inDoubt(Failure doubt, @Nullable Duration pause) {
            Instant first = before.map(OutgoingStore.Tries::first).orElse(startedAt);
            // The clock of the database counts, where it was asked: nodes may have others.
            Duration elapsed = Duration.between(startedAt, clock.instant());
            Instant now = before.map(OutgoingStore.Tries::now).orElse(startedAt).plus(elapsed);
            return failed(rules.unknown(doubt, member.snapshot().failures(), pause, first, now));
        }

        private FailureOutcome unreadable(Throwable why) {
            String how = why.getClass().getName();
            return FailureOutcome.parked(
                    "UNREADABLE",
                    ErrorText.refusal(
                            Failure.Kind.UNREADABLE,
                            how,
                            "The request of " + member.id() + " cannot be read as its sender wants it (" + how
                                    + "). It is parked and was not tried."));
        }

        private Optional<Done> failed(FailureOutcome outcome) {
            return Optional.of(Done.failed(member, outcome, startedAt));
        }

        private Optional<Done> done(@Nullable String reference) {
            Payload kept =
                    reference == null ? null : Payload.of(reference.getBytes(StandardCharsets.UTF_8), "text/plain");
            return Optional.of(Done.done(member, kept, startedAt));
        }
    }
}
