// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.EventType;
import io.idembox.HandlerException;
import io.idembox.Headers;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.admin.Command;
import io.idembox.admin.CommandResult;
import io.idembox.admin.Operation;
import io.idembox.admin.StoredPayload;
import io.idembox.audit.AuditEntry;
import org.junit.jupiter.api.Test;

/** Whoever reads a payload leaves a name and a reason first. */
class AdminPayloadDbTest extends DatabaseTest {

    private static final MessageId ONE = new MessageId("/orders", "1");

    private void park(String id) {
        inbox.handle("billing", message(id).headers(Headers.none().with("trace", "t-" + id)), ctx -> {
            throw HandlerException.park("look at it");
        });
    }

    private AuditEntry last() {
        var all = inbox.audit().after(0, 100);
        return all.get(all.size() - 1);
    }

    @Test
    void aPayloadIsHandedOutWithItsHeadersAndWhoReadItIsKept() {
        park("1");

        StoredPayload read = inbox.admin()
                .payload("billing", ONE, Operation.of("anna", "ticket 42"))
                .orElseThrow();

        assertThat(read.revision()).isZero();
        assertThat(read.type()).isEqualTo(new EventType("OrderPlaced", 1));
        assertThat(read.headers().text("trace")).contains("t-1");
        assertThat(read.payload()).isEqualTo(Payload.json("{\"id\":\"1\"}"));
        assertThat(last().command()).isEqualTo(Command.READ);
        assertThat(last().operation().by()).isEqualTo("anna");
        assertThat(last().operation().reason()).isEqualTo("ticket 42");
        assertThat(last().operation().filter()).isEqualTo("revision=0");
        assertThat(last().touched()).extracting(AuditEntry.Touched::result).containsExactly(CommandResult.DONE);
        assertThat(inbox.admin().operations(inbox.admin().find("billing", ONE).orElseThrow()))
                .extracting(past -> past.command())
                .containsExactly(Command.READ);
        assertThat(inbox.admin().explain("billing", ONE).toString()).contains("anna", "ticket 42");
    }

    @Test
    void theNewestRevisionIsReadUnlessAnotherIsAskedFor() {
        park("1");
        database.run(
                "insert into idembox_body (arrival, revision, event_version, consumer_id, source_id, id, event_type)"
                        + " select arrival, 1, 2, consumer_id, source_id, id, event_type from idembox_body");

        StoredPayload newest =
                inbox.admin().payload("billing", ONE, Operation.of("anna", "x")).orElseThrow();
        assertThat(newest.revision()).isEqualTo(1);
        assertThat(newest.payload().isTombstone()).isTrue();
        assertThat(last().operation().filter()).isEqualTo("revision=1");
        Operation first = Operation.of("anna", "as it came");
        assertThat(inbox.admin().payload("billing", ONE, 0, first))
                .hasValueSatisfying(read -> assertThat(read.payload().text()).contains("1"));
        assertThat(inbox.admin().payload("billing", ONE, 0, first)).as("again").isPresent();
        assertThatThrownBy(() -> inbox.admin().payload("billing", ONE, 1, first))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("messages to be read (revision=0)");
        assertThat(inbox.admin().payload("billing", ONE, 2, Operation.of("anna", "x")))
                .isEmpty();
        assertThat(last().touched()).extracting(AuditEntry.Touched::result).containsExactly(CommandResult.NO_BODY);
        assertThat(inbox.audit().after(0, 100)).hasSize(3);
    }

    /** The trail would have anna's name and reason only. */
    @Test
    void nobodyReadsUnderTheIdOfSomebodyElsesReading() {
        park("1");
        Operation annas = Operation.of("anna", "ticket 42");
        inbox.admin().payload("billing", ONE, annas);

        assertThatThrownBy(() -> inbox.admin().payload("billing", ONE, new Operation(annas.id(), "bert", "me too")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was already used by anna at")
                .hasMessageContaining("to read this payload. Use a new id.");
        assertThat(inbox.admin().payload("billing", ONE, annas)).as("again").isPresent();
        assertThat(inbox.audit().after(0, 100)).hasSize(1);
    }

    @Test
    void whatIsNotKeptOrNeverCameIsNothing() {
        inbox.handle("billing", message("1"), DatabaseTest::effect);

        assertThat(inbox.admin().payload("billing", ONE, Operation.of("anna", "x")))
                .isEmpty();
        assertThat(last().touched()).extracting(AuditEntry.Touched::result).containsExactly(CommandResult.NO_BODY);
        assertThat(inbox.admin().payload("billing", new MessageId("/orders", "2"), Operation.of("anna", "x")))
                .isEmpty();
        assertThat(inbox.admin().payload("nobody", ONE, Operation.of("anna", "x")))
                .isEmpty();
        assertThat(inbox.audit().after(0, 100)).hasSize(1);
    }
}
