// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.SendResult;
import io.idembox.spi.PublishResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/**
 * Those outside in one story: the broker that gets what is published, and the provider that does what is intended. They outlive
 * every process. Thread-safe.
 */
final class Outside {

    private final Story story;
    private final Mail mail;
    private final Broker log = new Broker();
    private final List<Charge> charges = Collections.synchronizedList(new ArrayList<>());
    private final List<String> commits = Collections.synchronizedList(new ArrayList<>());

    /** Something the provider did. */
    record Charge(String key, String cause) {}

    Outside(Story story, Mail mail) {
        this.story = story;
        this.mail = mail;
    }

    Mail mail() {
        return mail;
    }

    /** What was published, in order, for whoever reads it. */
    Broker log() {
        return log;
    }

    List<Charge> charges() {
        return List.copyOf(charges);
    }

    /** Causes in the order of their commits, where somebody wrote it down. */
    List<String> commits() {
        return commits;
    }

    /** The broker gets messages. */
    List<PublishResult> publish(List<Message> messages) {
        return messages.stream().map(this::publish).toList();
    }

    private PublishResult publish(Message message) {
        String id = message.id().orElseThrow();
        story.complainUnless(isCommitted(id), id + " was published before it was committed");
        Mail.Reaction reaction = mail.reactionTo(story, id);
        IllegalStateException trouble = new IllegalStateException("The broker has trouble with " + id);
        return switch (reaction) {
            case TAKES -> {
                log.send(List.of(message));
                yield new PublishResult.Confirmed("orders-0@7");
            }
            case TAKES_AND_DOES_NOT_SAY -> {
                log.send(List.of(message));
                yield new PublishResult.Failed(trouble);
            }
            case FAILS -> new PublishResult.Failed(trouble);
            case REFUSES -> new PublishResult.Refused(trouble);
        };
    }

    private boolean isCommitted(String id) {
        int end = id.lastIndexOf(Mail.BEHIND);
        return end < 0
                ? !story.world()
                        .list("select message_id from idembox_inbox where status = 'FAILED_TERMINAL'")
                        .isEmpty()
                : hasEffect(id.substring(0, end));
    }

    /** Whether somebody sees the effect of a cause who is in no transaction. */
    boolean hasEffect(String cause) {
        return !story.world()
                .list("select id from effect where id = ? and part = 'at once'", cause)
                .isEmpty();
    }

    /** What was committed in this story and sent or intended something. */
    List<String> causes() {
        return story.world()
                .list(
                        "select id from effect where part = 'at once' and id like ? and id not like ? order by seq",
                        story.cause("-%"),
                        "%" + Mail.BEHIND + "%");
    }

    /** The provider is asked to do something. */
    SendResult charge(Intent<String> intent) throws IOException {
        String cause = intent.request();
        story.complainUnless(hasEffect(cause), "the intent of " + cause + " was tried before it was committed");
        Mail.Reaction reaction = mail.reactionTo(story, cause);
        if (reaction == Mail.Reaction.FAILS) {
            return SendResult.retry("The provider is busy");
        }
        boolean known = mail.provider() == Mail.Provider.KEYS && isCharged(intent.key());
        if (!known) {
            charges.add(new Charge(intent.key(), cause));
        }
        if (reaction == Mail.Reaction.TAKES_AND_DOES_NOT_SAY) {
            throw new IOException("The answer is lost");
        }
        return SendResult.sent("charge-" + cause);
    }

    /** The provider is asked what it did. */
    ReconcileResult find(Intent<String> intent) {
        return isCharged(intent.key()) ? ReconcileResult.sent("found") : ReconcileResult.notSent();
    }

    private boolean isCharged(String key) {
        synchronized (charges) {
            return charges.stream().anyMatch(charge -> Objects.equals(charge.key(), key));
        }
    }
}
