// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.MessageId;
import io.idembox.admin.Filter;
import io.idembox.admin.Operation;
import io.idembox.admin.Status;
import io.idembox.cli.call.CommandException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Selection options as filters. */
class SelectionTest {

    private static final Instant NOW = Instant.parse("2026-03-02T12:00:00Z");

    private final SelectionOptions selectionOptions = new SelectionOptions();

    private Selection selection() {
        return Selection.of(selectionOptions, "billing", NOW);
    }

    @Test
    void optionsBecomeAFilter() {
        selectionOptions.statuses = List.of(Status.PARKED);
        selectionOptions.key = "42";
        selectionOptions.error = "java.net.ConnectException";
        selectionOptions.since = "24h";
        selectionOptions.until = "2026-03-02";

        assertThat(selection().filters("billing", Set.of()))
                .containsExactly(Filter.of("billing")
                        .status(Status.PARKED)
                        .key("42")
                        .errorClass("java.net.ConnectException")
                        .receivedAfter(NOW.minus(Duration.ofHours(24)))
                        .receivedBefore(Instant.parse("2026-03-02T00:00:00Z")));
    }

    @Test
    void defaultStatusesAreThoseOfTheCommand() {
        assertThat(selection().filters("billing", Set.of())).containsExactly(Filter.of("billing"));
        assertThat(selection().filters("billing", Set.of(Status.DISCARDED)))
                .containsExactly(Filter.of("billing").status(Status.DISCARDED));
        selectionOptions.statuses = List.of(Status.WAITING);
        assertThat(selection().filters("billing", Set.of(Status.DISCARDED)))
                .containsExactly(Filter.of("billing").status(Status.WAITING));
    }

    @Test
    void operationKeepsFilterText() {
        for (String key :
                List.of("a\u0085b\n", "\ud800", "\ud83d\ude00".repeat(1_001), "x" + "\ud83d\ude00".repeat(1_001))) {
            selectionOptions.key = key;
            String words = selection().filterText(Filter.of("billing"));

            assertThat(Operation.of("anna", "because").selectedBy(words).filter())
                    .startsWith("consumer='billing' and ");
        }
    }

    @Test
    void eachIdIsAFilter() {
        selectionOptions.source = "/orders";
        selectionOptions.ids = List.of("1", "2", "1");

        assertThat(selection().filters("billing", Set.of()))
                .containsExactly(
                        Filter.of("billing").id(new MessageId("/orders", "1")),
                        Filter.of("billing").id(new MessageId("/orders", "2")));
    }

    @Test
    void idAndSourceNeedEachOther() {
        selectionOptions.ids = List.of("1");
        assertThatThrownBy(this::selection).isInstanceOf(CommandException.class).hasMessageContaining("--source");
        selectionOptions.source = "";
        assertThat(selection().ids()).containsExactly(new MessageId("", "1"));
        selectionOptions.ids = List.of();
        assertThatThrownBy(this::selection).isInstanceOf(CommandException.class).hasMessageContaining("--id");
    }

    @Test
    void optionsBecomeFilterText() {
        selectionOptions.key = "O'Brien's";
        selectionOptions.error = "a.B";
        selectionOptions.since = "1h";
        selectionOptions.until = "2026-03-02T11:30:00+01:00";
        Selection selection = selection();
        selectionOptions.where = "attempts>=3";
        selectionOptions.type = "OrderPlaced";

        assertThat(selection.text())
                .isEqualTo(
                        "attempts>=3 and consumer='billing' and key='O''Brien''s' and type='OrderPlaced' and error='a.B'"
                                + " and received>='2026-03-02T11:00:00Z' and received<'2026-03-02T10:30:00Z'");
    }

    @ParameterizedTest
    @CsvSource({
        "24h, 2026-03-01T12:00:00Z",
        "-24h, 2026-03-01T12:00:00Z",
        "500ms, 2026-03-02T11:59:59.500Z",
        "7d, 2026-02-23T12:00:00Z",
        "2026-03-01, 2026-03-01T00:00:00Z",
        "2026-03-01T10:00:00Z, 2026-03-01T10:00:00Z"
    })
    void timesAreParsed(String text, Instant expected) {
        assertThat(TimeConverter.instant("--since", text, NOW)).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "2026-13-01", "1w", "1h1m"})
    void invalidTimeIsRefused(String text) {
        assertThatThrownBy(() -> TimeConverter.instant("--since", text, NOW))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("--since");
    }

    @Test
    void statusesAreParsedInAnyCaseExceptCompleted() {
        assertThat(new StatusConverter().convert("failed-terminal")).isEqualTo(Status.FAILED_TERMINAL);
        assertThat(new StatusConverter().convert("PARKED")).isEqualTo(Status.PARKED);
        assertThatThrownBy(() -> new StatusConverter().convert("completed")).hasMessageContaining("messages get");
    }

    @Test
    void consumerOutsideScopeIsRefused() {
        assertThat(ConsumerScope.outbox("receipts").named()).isEqualTo("outbox/receipts");
        assertThat(ConsumerScope.intents("billing").members(List.of("billing", "billing/charge", "outbox/x", "b/c")))
                .containsExactly("billing/charge");
        assertThat(ConsumerScope.consumers(null).members(List.of("b", "billing/charge", "outbox/x", "a")))
                .containsExactly("a", "b");
        assertThatThrownBy(() -> ConsumerScope.intents("outbox/receipts")).isInstanceOf(CommandException.class);
    }
}
