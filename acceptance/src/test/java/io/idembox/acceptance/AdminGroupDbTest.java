// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.admin.Command;
import io.idembox.admin.FailureGroup;
import io.idembox.admin.Filter;
import io.idembox.admin.FilterParser;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Preview;
import io.idembox.admin.Status;
import io.idembox.audit.AuditEntry;
import io.idembox.event.InboxEvent;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Failures with one cause are one group: seen together, redriven together, and somebody writes down what they are. */
class AdminGroupDbTest extends DatabaseTest {

    private final ManualClock clock = ManualClock.create();
    private final Instant start = clock.instant();

    @Override
    Inbox.Builder configure(Inbox.Builder builder) {
        return builder.clock(clock);
    }

    private InboxAdmin admin() {
        return inbox.admin();
    }

    private void timesOut(String id) {
        inbox.handle("billing", message(id), ctx -> {
            throw new IllegalStateException("no answer for order " + id + " after 30 s");
        });
        clock.advance(Duration.ofSeconds(1));
    }

    private void isParked(String id) {
        inbox.handle("billing", message(id), ctx -> {
            throw HandlerException.park("account 'A" + id + "' is closed");
        });
        clock.advance(Duration.ofSeconds(1));
    }

    /** Three that time out, two of a closed account, one that somebody parked. */
    private List<FailureGroup> groups() {
        timesOut("1");
        isParked("2");
        timesOut("3");
        isParked("4");
        timesOut("5");
        inbox.store("billing", List.of(message("6"), message("7")));
        admin().park(
                        admin().preview(Filter.of("billing").id("6"), 1).refs(),
                        new Operation("park", "anna", "wait for the bank"));
        return admin().failureGroups(Filter.of("billing"), 10);
    }

    private List<String> ids(Filter filter) {
        return admin().list(filter, Page.first(100)).messages().stream()
                .map(message -> message.id().id())
                .toList();
    }

    @Test
    void theMostFrequentComesFirstAndShowsItsLastOne() {
        List<FailureGroup> groups = groups();

        assertThat(groups).extracting(FailureGroup::count).containsExactly(3L, 2L, 1L);
        FailureGroup timeouts = groups.get(0);
        assertThat(timeouts.title()).isEqualTo("java.lang.IllegalStateException: no answer for order # after # s");
        assertThat(timeouts.firstAt()).isEqualTo(start);
        assertThat(timeouts.lastAt()).isEqualTo(start.plusSeconds(4));
        InboxMessage last = timeouts.sample();
        assertThat(last.id().id()).isEqualTo("5");
        assertThat(last.status()).isEqualTo(Status.FAILED_RETRYABLE);
        assertThat(last.group()).isEqualTo(timeouts.id());
        assertThat(String.valueOf(last.failure())).contains("no answer for order 5 after 30 s");
        assertThat(timeouts.noteIfAny()).isEmpty();
        assertThat(groups.get(1).title()).isEqualTo("io.idembox.HandlerException: account '#' is closed");
        assertThat(groups.get(2).title()).startsWith("OPERATOR: It was parked by anna");
        assertThat(admin().failureGroups(Filter.of("billing"), 1)).containsExactly(timeouts);
    }

    @Test
    void aGroupIsAFilterLikeAnyOther() {
        List<FailureGroup> groups = groups();
        Filter timeouts = Filter.of("billing").group(groups.get(0).id());

        assertThat(ids(timeouts)).containsExactly("1", "3", "5");
        assertThat(admin().count(timeouts, 100)).hasToString("3");
        assertThat(ids(Filter.of("billing").group(groups.get(2).id())))
                .as("what was not thrown is grouped by its error class")
                .containsExactly("6");
        assertThat(ids(FilterParser.parse("group=" + groups.get(1).id() + " and id=4", clock.instant())
                        .filter("billing")))
                .containsExactly("4");
        assertThat(admin().failureGroups(Filter.of("billing").status(Status.PARKED), 10))
                .extracting(FailureGroup::id)
                .containsExactly(groups.get(1).id(), groups.get(2).id());
        assertThat(admin().failureGroups(timeouts.receivedAfter(start.plusSeconds(1)), 10))
                .extracting(FailureGroup::count)
                .containsExactly(2L);
        assertThat(admin().failureGroups(Filter.of("billing").status(Status.RECEIVED, Status.DISCARDED), 10))
                .isEmpty();
        assertThat(admin().failureGroups(Filter.of("nobody"), 10)).isEmpty();
        assertThat(admin().find("billing", new io.idembox.MessageId("/orders", "7"))
                        .orElseThrow()
                        .group())
                .as("nothing went wrong with it")
                .isNull();

        Preview preview =
                admin().preview(Filter.of("billing").group(groups.get(1).id()), 100);
        assertThat(admin().redrive(preview.refs(), Operation.of("anna", "opened"))
                        .done())
                .isEqualTo(2);
    }

    @Test
    void whatIsBeingWorkedOnIsCountedWhenItIsAskedFor() {
        AdminBench bench = new AdminBench(
                database,
                clock,
                ConsumerPolicy.defaults()
                        .retry(RetryPolicy.exponential(3, Duration.ofMinutes(1), Duration.ofMinutes(1))
                                .by(io.idembox.policy.RetryBy.INBOX)),
                context -> {
                    throw new IllegalStateException("again");
                });
        bench.node.store(message("1"), message("2"));
        bench.node.work();
        clock.advance(Duration.ofMinutes(2));
        bench.node.claim(1, 1);

        assertThat(bench.admin.failureGroups(Filter.of("billing"), 10))
                .extracting(FailureGroup::count)
                .containsExactly(2L);
        assertThat(bench.admin.failureGroups(Filter.of("billing").status(Status.FAILED_RETRYABLE), 10))
                .extracting(FailureGroup::count)
                .containsExactly(1L);
        assertThat(bench.admin.failureGroups(Filter.of("billing").status(Status.IN_PROGRESS), 10))
                .extracting(FailureGroup::count)
                .containsExactly(1L);
    }

    @Test
    void aNoteIsShownWithItsGroupAndKeptAsAnOperation() {
        UUID group = groups().get(0).id();
        Operation first = new Operation("note-1", "anna", "so that nobody looks twice").as("operator");

        admin().note("billing", group, "it's the bank; ticket 42", first);
        Instant noted = clock.instant();
        clock.advance(Duration.ofSeconds(1));
        admin().note("billing", group, "it's the bank; ticket 42", first);

        assertThat(admin().failureGroups(Filter.of("billing"), 1).get(0).note())
                .isEqualTo(new FailureGroup.Note("it's the bank; ticket 42", "anna", noted));
        assertThat(admin().failureGroups(Filter.of("billing"), 10).get(1).note())
                .isNull();
        AuditEntry entry = inbox.audit().after(1, 10).get(0);
        assertThat(entry.command()).isEqualTo(Command.NOTE);
        assertThat(entry.operation().role()).isEqualTo("operator");
        assertThat(entry.operation().filter()).isEqualTo("group=" + group + " note: it's the bank; ticket 42");
        assertThat(inbox.audit().after(2, 10)).as("once").isEmpty();
        assertThat(inbox.audit().verify(List.of(), List.of()).isIntact()).isTrue();
        assertThat(events)
                .filteredOn(event -> event instanceof InboxEvent.OperationPerformed operationPerformed
                        && operationPerformed.command() == Command.NOTE)
                .hasSize(1);

        admin().note("billing", group, "mended", new Operation("note-2", "bob", "it was"));
        assertThat(admin().failureGroups(Filter.of("billing"), 1).get(0).noteIfAny())
                .hasValueSatisfying(note -> assertThat(note.text()).isEqualTo("mended"));
    }

    @Test
    void whatIsNoNoteIsRefused() {
        UUID group = groups().get(0).id();
        Operation operation = new Operation("note-1", "anna", "a reason");
        admin().note("billing", group, "one", operation);

        assertThatThrownBy(() -> admin().note("billing", group, "two", operation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("something to be noted (group=" + group + " note: one)");
        assertThatThrownBy(() -> admin().pause("billing", operation))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("something to be noted");
        assertThatThrownBy(() -> admin().note("nobody", group, "two", Operation.of("anna", "x")))
                .isInstanceOf(IllegalArgumentException.class);
        for (String text : List.of("", " ", "a\nb", "x".repeat(1_001))) {
            assertThatThrownBy(() -> admin().note("billing", group, text, Operation.of("anna", "x")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("A note has 1 to 1000");
        }
        for (int atMost : List.of(0, InboxAdmin.LIMIT + 1)) {
            assertThatThrownBy(() -> admin().failureGroups(Filter.of("billing"), atMost))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(admin().failureGroups(Filter.of("billing"), 1).get(0).noteIfAny())
                .hasValueSatisfying(note -> assertThat(note.text()).isEqualTo("one"));
    }

    /** Another consumer may fail in the same way for another reason. */
    @Test
    void aNoteIsForOneConsumer() {
        inbox.handleAll("billing", List.of(message("1")), ctx -> {
            throw HandlerException.park("closed");
        });
        inbox.handleAll("shipping", List.of(Message.of("1", "OrderPlaced", "{}")), ctx -> {
            throw HandlerException.park("closed");
        });
        UUID billing = admin().failureGroups(Filter.of("billing"), 1).get(0).id();

        admin().note("billing", billing, "the bank", Operation.of("anna", "x"));

        assertThat(admin().failureGroups(Filter.of("billing"), 1).get(0).note()).isNotNull();
        assertThat(admin().failureGroups(Filter.of("shipping"), 1).get(0).note())
                .isNull();
    }
}
