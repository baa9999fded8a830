// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Subscription;
import io.idembox.intent.Intent;
import io.idembox.intent.SendResult;
import io.idembox.spi.PublishResult;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Who has sections of keys that others have as well. */
enum Place {
    CONSUMER(PolicyBench.CONSUMER) {
        @Override
        KeyCase.Draft key(String key) {
            return KeyCase.consumer(key);
        }

        @Override
        void begin(PolicyBench bench, Inbox inbox, List<String> ids, Toil toil) {
            inbox.store(consumer(), messages(ids));
            inbox.subscribe(consumer())
                    .on(
                            "OrderPlaced",
                            Payload.class,
                            (payload, context) -> toil.on(context.id().id()))
                    .start();
        }
    },

    INTENT(PolicyBench.CONSUMER + "/" + PolicyBench.INTENT) {
        @Override
        KeyCase.Draft key(String key) {
            return KeyCase.intent(key);
        }

        @Override
        void begin(PolicyBench bench, Inbox inbox, List<String> ids, Toil toil) {
            Subscription billing = inbox.subscribe(PolicyBench.CONSUMER)
                    .on(
                            "OrderPlaced",
                            Payload.class,
                            (payload, context) -> context.intend(
                                    PolicyBench.INTENT, context.id().id()))
                    .intent(PolicyBench.INTENT, String.class, intent -> send(intent, toil))
                    .start();
            billing.handleAll(messages(ids));
        }

        private SendResult send(Intent<String> intent, Toil toil) throws InterruptedException {
            try {
                toil.on(intent.request());
                return SendResult.sent(null);
            } catch (IllegalStateException notYet) {
                return SendResult.retry(notYet.getMessage());
            }
        }
    },

    DESTINATION(PolicyBench.outbox(PolicyBench.DESTINATION)) {
        @Override
        KeyCase.Draft key(String key) {
            return KeyCase.outbox(key);
        }

        @Override
        void begin(PolicyBench bench, Inbox inbox, List<String> ids, Toil toil) throws SQLException {
            if (!ids.isEmpty()) {
                bench.send(inbox, messages(ids).toArray(Message[]::new));
            }
            inbox.outbox().relay((destination, messages) -> publish(messages, toil), PolicyBench.DESTINATION);
        }

        private List<PublishResult> publish(List<Message> messages, Toil toil) throws InterruptedException {
            List<PublishResult> answers = new ArrayList<>();
            for (Message message : messages) {
                try {
                    toil.on(message.id().orElseThrow());
                    answers.add(new PublishResult.Confirmed(null));
                } catch (IllegalStateException notYet) {
                    answers.add(new PublishResult.Failed(notYet));
                }
            }
            return answers;
        }
    };

    /** What is done about a message; whoever throws {@link IllegalStateException} has failed and may try again. */
    @FunctionalInterface
    interface Toil {

        void on(String id) throws InterruptedException;
    }

    private final String consumer;

    Place(String consumer) {
        this.consumer = consumer;
    }

    /** The name it has as a consumer, inside or not. */
    String consumer() {
        return consumer;
    }

    abstract KeyCase.Draft key(String key);

    /** Brings messages in one transaction, and begins to work on what is there. */
    abstract void begin(PolicyBench bench, Inbox inbox, List<String> ids, Toil toil) throws SQLException;

    private static List<Message> messages(List<String> ids) {
        return ids.stream().map(DatabaseTest::message).toList();
    }
}
