// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Receipt;
import io.idembox.event.InboxEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The same id with another payload is reported when it is parked, once per payload. */
class ConflictDbTest extends DatabaseTest {

    private static Message charge(int cents) {
        return Message.of("evt-1", "Charge", "{\"cents\":" + cents + "}").from("/orders");
    }

    private List<InboxEvent> conflicts() {
        return events.stream().filter(InboxEvent.Conflict.class::isInstance).toList();
    }

    private static final InboxEvent CONFLICT = new InboxEvent.Conflict("billing", new MessageId("/orders", "evt-1"));

    @Test
    void aConflictIsReportedOncePerPayloadAndNeverShowsIt() {
        try (Overheard log = new Overheard()) {
            inbox.handle("billing", charge(50), DatabaseTest::effect);
            inbox.handle("billing", charge(50), DatabaseTest::effect);
            assertThat(conflicts()).as("a duplicate is no conflict").isEmpty();

            Receipt first = inbox.handle("billing", charge(4711), DatabaseTest::effect);
            Receipt again = inbox.handle("billing", charge(4711), DatabaseTest::effect);

            assertThat(List.of(first, again)).allMatch(receipt -> receipt.kind() == Receipt.Kind.REFUSED);
            assertThat(conflicts()).containsExactly(CONFLICT);
            assertThat(log.text().lines().filter(line -> line.contains("parked as a conflict")))
                    .singleElement()
                    .asString()
                    .contains("Consumer billing: the id /orders/evt-1 was seen before with another payload")
                    .doesNotContain("4711");

            inbox.handle("billing", charge(4712), DatabaseTest::effect);
            assertThat(conflicts()).containsExactly(CONFLICT, CONFLICT);
        }
    }

    @Test
    void aConflictWithinABatchIsReported() {
        inbox.handleAll("billing", List.of(charge(1), charge(2), message("other")), DatabaseTest::effect);

        assertThat(conflicts()).containsExactly(CONFLICT);
    }

    @Test
    void aConflictWithAStoredMessageIsReported() {
        inbox.store("billing", charge(1));
        inbox.store("billing", charge(2));

        assertThat(conflicts()).containsExactly(CONFLICT);
    }
}
