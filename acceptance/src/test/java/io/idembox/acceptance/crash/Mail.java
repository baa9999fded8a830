// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.policy.IntentPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.OutboxPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.policy.WorkPolicy;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/**
 * What goes out in a path, and how those outside take it. Whatever causes it has its effect under its own id, in the same
 * transaction; what is sent for it has its id with a number behind it. Made by {@link MailPaths} and {@link IntentPaths}, and
 * not changed afterwards.
 */
final class Mail {

    /** The destination. */
    static final String ORDERS = "orders";

    /** What is intended. */
    static final String CHARGE = "charge";

    /** Between the id of a cause and the number of what is sent for it. */
    static final String BEHIND = ">";

    private static final RetryPolicy AT_ONCE = RetryPolicy.exponential(Path.CAP, Duration.ZERO, Duration.ZERO);

    /** What those outside do with what they get. */
    enum Reaction {
        TAKES,
        TAKES_AND_DOES_NOT_SAY,
        FAILS,
        REFUSES
    }

    /** What the provider offers to whoever does not know. */
    enum Provider {
        NOTHING,
        KEYS,
        QUESTIONS
    }

    private final int perCause;
    private BiFunction<Story, String, Reaction> reaction = (story, id) -> Reaction.TAKES;
    private BiFunction<String, Integer, String> keys = (cause, nr) -> cause.substring(0, cause.lastIndexOf('-'));
    private Ordering ordering = Ordering.HOLD;
    private Provider provider = Provider.NOTHING;
    private String refused = "";
    private int times = 1;
    private String noMore = "";
    private int deadLetters;

    private Mail(int perCause) {
        this.perCause = perCause;
    }

    /** So many messages for each cause, all of one key. */
    static Mail sending(int perCause) {
        return new Mail(perCause);
    }

    /** Nothing but intents, one for each cause. */
    static Mail intending(Provider provider) {
        Mail mail = new Mail(0);
        mail.provider = provider;
        return mail;
    }

    /** What those outside do, by the id of what they get. */
    Mail reaction(BiFunction<Story, String, Reaction> how) {
        reaction = how;
        return this;
    }

    Mail keys(BiFunction<String, Integer, String> ofCauseAndNumber) {
        keys = ofCauseAndNumber;
        return this;
    }

    /** Never taken, and passed by the others of its key. */
    Mail refusing(String suffix) {
        refused = suffix;
        ordering = Ordering.SKIP_PARKED;
        return reaction((story, id) -> id.endsWith(suffix) ? Reaction.REFUSES : Reaction.TAKES);
    }

    /** Has to be published so often, at least. */
    Mail times(int atLeast) {
        times = atLeast;
        return this;
    }

    /** Is not published more often than it has to be. */
    Mail noMore(String suffix) {
        noMore = suffix;
        return this;
    }

    /** So many messages have to come as dead letters. */
    Mail deadLetters(int count) {
        deadLetters = count;
        return this;
    }

    /** What is sent for a cause. */
    List<Message> of(String cause) {
        return IntStream.rangeClosed(1, perCause)
                .mapToObj(nr -> Message.of(cause + BEHIND + nr, "OrderShipped", "{\"nr\":" + nr + "}")
                        .keyed(keys.apply(cause, nr)))
                .toList();
    }

    Reaction reactionTo(Story story, String id) {
        return reaction.apply(story, id);
    }

    boolean isRefused(String id) {
        return !refused.isEmpty() && id.endsWith(refused);
    }

    boolean isIntended() {
        return perCause == 0 && deadLetters == 0;
    }

    Provider provider() {
        return provider;
    }

    int times() {
        return times;
    }

    boolean isNoMore(String id) {
        return !noMore.isEmpty() && id.endsWith(noMore);
    }

    int deadLetters() {
        return deadLetters;
    }

    OutboxPolicy outboxPolicy() {
        return OutboxPolicy.defaults().ordering(ordering).retry(AT_ONCE);
    }

    IntentPolicy intentPolicy() {
        IntentPolicy policy =
                provider == Provider.KEYS ? IntentPolicy.keyed(Duration.ofDays(1)) : IntentPolicy.defaults();
        return policy.retry(AT_ONCE).work(WorkPolicy.defaults());
    }
}
