// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.matrix;

import io.idembox.Headers;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The standard stream: duplicates, swaps within keys, failures, poison, late and early sequence numbers, conflicts, messages
 * without an id. Each message says in a header what its handler does.
 */
final class Script {

    static final String SOURCE = "/orders";

    /** Messages that may be skipped where sequences are guarded: another message has their place. */
    static final Set<String> LATE = Set.of("a-late", "d-late");

    /** Messages whose handler never succeeds. */
    static final Set<String> HOPELESS = Set.of("c2", "e2");

    /** Messages without a key, and so without a place in a sequence. */
    static final Set<String> KEYLESS = Set.of("k1", "k2");

    private final List<Message> messages = new ArrayList<>();
    private long offset;

    private Script() {}

    /** The deliveries in the order in which the broker brings them the first time. */
    static List<Message> deliveries() {
        Script script = new Script();
        script.keyed("a", 1)
                .keyed("a", 2)
                .again("a2")
                .keyed("a", 3)
                .failing("a", 4, 1)
                .keyed("a", 5)
                .again("a3");
        script.late("a", 2).keyed("a", 6);
        script.keyed("b", 1).keyed("b", 3).keyed("b", 2).keyed("b", 4).conflict("b4");
        script.keyed("c", 1).poison("c", 2).keyed("c", 3).keyed("c", 4);
        script.keyed("d", 1).keyed("d", 3).late("d", 1);
        script.keyed("e", 1).parking("e", 2).keyed("e", 3);
        script.add(script.message("k1", "ok"))
                .add(script.message("k2", "fail 2"))
                .again("k2");
        script.add(withoutId(1));
        script.messages.add(withoutId(2));
        return List.copyOf(script.messages);
    }

    private Script keyed(String key, int sequenceNumber) {
        return add(placed(key + sequenceNumber, key, sequenceNumber, "ok"));
    }

    private Script failing(String key, int sequenceNumber, int times) {
        return add(placed(key + sequenceNumber, key, sequenceNumber, "fail " + times));
    }

    private Script poison(String key, int sequenceNumber) {
        return add(placed(key + sequenceNumber, key, sequenceNumber, "fail 99"));
    }

    private Script parking(String key, int sequenceNumber) {
        return add(placed(key + sequenceNumber, key, sequenceNumber, "park"));
    }

    /** Another message under a place that is taken. */
    private Script late(String key, int sequenceNumber) {
        return add(placed(key + "-late", key, sequenceNumber, "ok"));
    }

    /** The same message once more, as a producer sends it again. */
    private Script again(String id) {
        Message first = messages.stream()
                .filter(each -> nameOf(each).equals(id))
                .findFirst()
                .orElseThrow();
        messages.add(first.at(next()));
        return this;
    }

    /** Another payload under the same id. */
    private Script conflict(String id) {
        messages.add(Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\",\"other\":true}")
                .from(SOURCE)
                .header("new-id", id)
                .header("old-id", "old-" + id)
                .header("place", "9")
                .header("does", "ok")
                .at(next()));
        return this;
    }

    private Message placed(String id, String key, int sequenceNumber, String does) {
        return message(id, does).keyed(key).header("place", Integer.toString(sequenceNumber));
    }

    private Message message(String id, String does) {
        return Message.of(id, "OrderPlaced", "{\"id\":\"" + id + "\"}")
                .from(SOURCE)
                .header("new-id", id)
                .header("old-id", "old-" + id)
                .header("does", does);
    }

    private static Message withoutId(int number) {
        return Message.withoutId(Headers.none(), Payload.json("{\"lost\":" + number + "}"))
                .typed("OrderPlaced", 1)
                .from(SOURCE);
    }

    private Script add(Message message) {
        messages.add(message.at(next()));
        return this;
    }

    private Position next() {
        return new Position("orders", 0, offset++);
    }

    /** What a message is called in this programme, whichever identity strategy is used. */
    static String nameOf(Message message) {
        return message.headers().text("new-id").orElse("");
    }
}
