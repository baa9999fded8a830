// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.DatabaseTest.message;
import static io.idembox.acceptance.KeyCase.consumer;

import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.Inbox;
import io.idembox.InboxConfigurationException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import io.idembox.Receipt;
import io.idembox.policy.Replay;
import io.idembox.spi.PublishResult;
import java.util.ArrayList;
import java.util.List;

/** Which messages a consumer takes, how it tells them apart, and what others get to know. */
final class ConsumerKeys {

    private static final InboxHandler NOTHING = context -> {};

    private ConsumerKeys() {}

    static List<KeyCase> all() {
        List<KeyCase> all = new ArrayList<>(keeping());
        all.addAll(identity());
        all.addAll(limits());
        all.addAll(outgoing());
        return all;
    }

    private static List<KeyCase> keeping() {
        return List.of(
                consumer("strategy")
                        .said("ids", "COMPLETED, 0 bodies, a lambda is COMPLETED, replay may be allowed")
                        .said("inbox", "STORED, 1 bodies, a lambda is refused, replay may be allowed")
                        .said("effects", "STORED, 1 bodies, a lambda is refused, replay may not be allowed")
                        .when(ConsumerKeys::begun),
                consumer("mode")
                        .said("direct", "COMPLETED")
                        .said("stored", "STORED")
                        .when(ConsumerKeys::subscribed),
                consumer("recording")
                        .said("ids", "0 bodies")
                        .said("full", "1 bodies")
                        .when(bench -> {
                            bench.node(NOTHING).handle(message("m1"));
                            return bench.database.count("idembox_body") + " bodies";
                        }),
                consumer("unknown-type")
                        .said("park", "PARKED UNKNOWN_TYPE")
                        .said("fail", "FAILED_TERMINAL")
                        .when(bench -> {
                            try (Inbox inbox = bench.open()) {
                                inbox.subscribe("billing")
                                        .on("OrderCancelled", Payload.class, (payload, context) -> {})
                                        .handle(message("m1"));
                            }
                            return bench.unfinished("billing");
                        }));
    }

    /** How a message is taken, what is kept of it, and whether somebody may handle one that nobody could try again later. */
    private static String begun(PolicyBench bench) {
        String taken = subscribed(bench) + ", " + bench.database.count("idembox_body") + " bodies, a lambda is ";
        try (Inbox inbox = bench.open()) {
            taken += inbox.handle("billing", message("m2"), NOTHING).kind();
        } catch (InboxConfigurationException refused) {
            taken += "refused";
        }
        return taken + ", replay may " + (mayBeReplayed(bench) ? "" : "not ") + "be allowed";
    }

    private static boolean mayBeReplayed(PolicyBench bench) {
        try {
            bench.policies.consumers().get(PolicyBench.CONSUMER).replay(Replay.ALLOWED);
            return true;
        } catch (InboxConfigurationException refused) {
            return false;
        }
    }

    private static String subscribed(PolicyBench bench) {
        try (Inbox inbox = bench.open()) {
            return inbox.subscribe("billing")
                    .on("OrderPlaced", Payload.class, (payload, context) -> {})
                    .handle(message("m1"))
                    .kind()
                    .name();
        }
    }

    private static List<KeyCase> identity() {
        return List.of(
                consumer("identity.strategy")
                        .said("standard", "/orders id-of-message")
                        .said("position", "topic 3@42")
                        .said("{ headers: [ x-id ] }", "/orders id-in-header")
                        .said("{ json-field: /eventId }", "/orders id-in-payload")
                        .said("{ json-field: /eventId, with-type: true }", "/orders 11:OrderPlaced:id-in-payload")
                        .said(
                                "{ by-type: { OrderPlaced: { headers: [ x-id ], with-type: true } } }",
                                "/orders 11:OrderPlaced:id-in-header")
                        .said(
                                "{ by-type: { OrderPaid: { json-field: /eventId } }, otherwise: [ { headers: [ ce_id ] }, { json-field: /otherId } ] }",
                                "/orders other-id-in-payload")
                        .when(bench -> {
                            List<String> ids = new ArrayList<>();
                            bench.node(context -> ids.add(context.id().source() + " "
                                            + context.id().id()))
                                    .handle(manyIds());
                            return String.join(", ", ids);
                        }),
                consumer("identity.previous")
                        .said("none", "COMPLETED COMPLETED")
                        .said("{ headers: [ x-id ] }", "COMPLETED DUPLICATE")
                        .when(bench -> {
                            Bench node = bench.node(NOTHING);
                            Message renamed =
                                    Message.of("new", "OrderPlaced", "{}").header("x-id", "old");
                            return PolicyBench.kinds(node.handle(Message.of("old", "OrderPlaced", "{}"))) + " "
                                    + PolicyBench.kinds(node.handle(renamed));
                        }),
                consumer("identity.missing")
                        .said("park", "FAILED, acknowledged, 1 known")
                        .said("derive", "COMPLETED, acknowledged, 1 known")
                        .said("release", "REFUSED, not acknowledged, 0 known")
                        .said("drop", "REFUSED, acknowledged, 0 known")
                        .when(ConsumerKeys::withoutId),
                consumer("identity.fingerprint")
                        .said("bytes", "COMPLETED REFUSED REFUSED")
                        .said("off", "COMPLETED DUPLICATE DUPLICATE")
                        .said("{ fields: [ /cents ] }", "COMPLETED DUPLICATE REFUSED")
                        .when(bench -> {
                            Bench node = bench.node(NOTHING);
                            List<Receipt> receipts = new ArrayList<>(node.handle(order("{\"cents\":5,\"at\":1}")));
                            receipts.addAll(node.handle(order("{\"cents\":5,\"at\":2}")));
                            receipts.addAll(node.handle(order("{\"cents\":6,\"at\":3}")));
                            return PolicyBench.kinds(receipts);
                        }));
    }

    private static Message manyIds() {
        return Message.of(
                        "id-of-message",
                        "OrderPlaced",
                        "{\"eventId\":\"id-in-payload\",\"otherId\":\"other-id-in-payload\"}")
                .from("/orders")
                .header("x-id", "id-in-header")
                .at(new Position("topic", 3, 42));
    }

    private static String withoutId(PolicyBench bench) {
        Message anonymous =
                Message.withoutId(Headers.none(), Payload.json("{}")).at(new Position("topic", 3, 42));
        Receipt receipt = bench.node(NOTHING).handle(anonymous).get(0);
        return receipt.kind() + (receipt.acknowledges() ? ", acknowledged, " : ", not acknowledged, ")
                + bench.known("billing") + " known";
    }

    private static Message order(String json) {
        return Message.of("m1", "OrderPlaced", json);
    }

    private static List<KeyCase> limits() {
        Message large = order("{\"cents\":5}").header("one", "1").header("two", "2");
        KeyCase.Scenario handled =
                bench -> PolicyBench.kinds(bench.node(NOTHING).handle(large)) + ", " + bench.unfinished("billing");
        String parked = "FAILED, PARKED OVER_LIMIT";
        String done = "COMPLETED, nothing open";
        return List.of(
                consumer("limits.payload-bytes")
                        .said("10", parked)
                        .said("11", done)
                        .when(handled),
                consumer("limits.header-count")
                        .said("1", parked)
                        .said("2", done)
                        .when(handled),
                consumer("limits.header-bytes")
                        .said("7", parked)
                        .said("8", done)
                        .when(handled));
    }

    private static List<KeyCase> outgoing() {
        return List.of(
                consumer("outgoing.on-duplicate")
                        .elsewhere("outbox.receipts", "{}")
                        .said("result", "with its result, nothing open")
                        .said("skip", "without a result, nothing open")
                        .said("resend", "with its result, RECEIVED")
                        .when(ConsumerKeys::again),
                consumer("outgoing.dead-letters")
                        .elsewhere("outbox.dead", "{}")
                        .said("none", "0 letters")
                        .said("dead", "1 letters")
                        .when(bench -> {
                            try (Inbox inbox = bench.open()) {
                                inbox.handle("billing", message("m1"), context -> {
                                    throw HandlerException.park("negative amount");
                                });
                            }
                            return bench.known("outbox/dead") + " letters";
                        }));
    }

    /** What a message does when it comes again, after what it sent was published. */
    private static String again(PolicyBench bench) {
        try (Inbox inbox = bench.open()) {
            inbox.outbox().relay((destination, messages) -> List.of(new PublishResult.Confirmed(null)), "receipts");
            inbox.handle("billing", message("m1"), context -> {
                context.result("{}");
                context.outbox().send("receipts", Message.of("r1", "Receipt", "{}"));
            });
            bench.awaitCompleted("outbox/receipts", 1);
        }
        try (Inbox inbox = bench.open()) {
            Receipt receipt = inbox.handle("billing", message("m1"), NOTHING);
            return (receipt.result().isPresent() ? "with its result, " : "without a result, ")
                    + bench.unfinished("outbox/receipts");
        }
    }
}
