// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idembox.admin.Count;
import io.idembox.admin.Status;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The same data in every output format. */
class PrinterTest {

    private static final String ESCAPE = "\u001b[31mred\u009b0m\u202e\n\ttail";

    private static final List<Column> COLUMNS = List.of(
            Column.of("id"),
            Column.of("status"),
            Column.of("error.message").titled("ERROR").atMost(10));

    private static Fields message(String id) {
        return Fields.of("id", id)
                .and("status", Status.PARKED)
                .and("at", Instant.parse("2026-01-01T12:00:00Z"))
                .and("count", new Count(3, false))
                .and("nothing", null)
                .and("error", Fields.of("message", "a rather long message"));
    }

    private static String printed(OutputFormat format, Consumer<Printer> what) {
        StringWriter text = new StringWriter();
        what.accept(format.on(new PrintWriter(text)));
        return text.toString();
    }

    private static String rows(OutputFormat format, String... ids) {
        return printed(format, printer -> {
            Printer.Rows rows = printer.rows(COLUMNS);
            List.of(ids).forEach(id -> rows.add(message(id)));
            rows.end();
        });
    }

    private static Object yaml(String text) {
        return new Load(LoadSettings.builder().build()).loadFromString(text);
    }

    @Test
    void textHasAlignedColumns() {
        assertThat(rows(OutputFormat.TEXT, "1", "1234")).isEqualTo("""
                        ID    STATUS  ERROR
                        1     PARKED  a rather …
                        1234  PARKED  a rather …
                        """);
    }

    @Test
    void textOfOneObjectIsValuesThenTables() {
        Fields thing = message("1")
                .and(
                        "all",
                        List.of(
                                Fields.of("a", 1).and("b", null),
                                Fields.of("a", 22).and("b", "x")));
        assertThat(printed(OutputFormat.TEXT, printer -> printer.printOne(thing)))
                .isEqualTo("""
                        id      1
                        status  PARKED
                        at      2026-01-01T12:00:00Z
                        count   at least 3
                        error:
                          message  a rather long message
                        all:
                          A   B
                          1   -
                          22  x
                        """);
    }

    @ParameterizedTest
    @EnumSource
    void everyFormatEscapesControlCharacters(OutputFormat format) {
        Fields evil = Fields.of("id", ESCAPE)
                .and("status", ESCAPE)
                .and("list", List.of(ESCAPE))
                .and(ESCAPE, 1);
        String all = printed(format, printer -> {
            printer.printOne(evil);
            printer.printOne(evil, List.of(ESCAPE));
            Printer.Rows rows = printer.rows(COLUMNS);
            rows.add(evil);
            rows.end();
        });

        assertThat(all.replace("\n", "").codePoints()).noneMatch(TerminalText::isHidden);
        assertThat(all)
                .contains("\\u001b[31mred".replace("\\u001b", format == OutputFormat.TEXT ? "\\u001b" : "\\u001B"));
    }

    @Test
    void jsonIsOneDocumentWithAllFields() throws Exception {
        Map<?, ?> row = (Map<?, ?>) new ObjectMapper()
                .readValue(rows(OutputFormat.JSON, "1", "2"), new TypeReference<List<Object>>() {})
                .get(1);

        assertThat(row.get("id")).isEqualTo("2");
        assertThat(row.get("status")).isEqualTo("PARKED");
        assertThat(row.get("at")).isEqualTo("2026-01-01T12:00:00Z");
        assertThat(row.get("count")).isEqualTo(Map.of("number", 3, "exact", false));
        assertThat(row.containsKey("nothing")).isTrue();
        assertThat(row.get("nothing")).isNull();
        assertThat(new ObjectMapper()
                        .readValue(printed(OutputFormat.JSON, p -> p.printOne(Fields.of("id", ESCAPE))), Object.class))
                .isEqualTo(Map.of("id", ESCAPE));
    }

    @Test
    void ndjsonIsOneObjectPerLine() {
        assertThat(rows(OutputFormat.NDJSON, "1", "2").lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"id\":\""));
    }

    @Test
    void emptyListIsPrinted() {
        assertThat(rows(OutputFormat.JSON)).isEqualTo("[]\n");
        assertThat(rows(OutputFormat.YAML)).isEqualTo("[]\n");
        assertThat(rows(OutputFormat.NDJSON)).isEmpty();
        assertThat(rows(OutputFormat.TEXT)).isEmpty();
    }

    @Test
    void yamlEqualsJson() throws Exception {
        Object json = new ObjectMapper().readValue(rows(OutputFormat.JSON, "1", "2"), Object.class);

        assertThat(yaml(rows(OutputFormat.YAML, "1", "2"))).isEqualTo(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "yes",
                "off",
                "null",
                "~",
                "1",
                "-1",
                "1e3",
                "0x10",
                "12:30",
                "2026-01-01",
                "a: b",
                "# no",
                "- x",
                "[",
                "{",
                "&a",
                "*a",
                "!t",
                "%d",
                "@x",
                "`x",
                "'",
                "\"",
                "a\nb",
                "/orders",
                "Ü",
                "😀",
                ".5",
                "=",
                "?",
                "x-y_z.1"
            })
    void yamlTextRoundTrips(String text) {
        Fields fields = Fields.of("value", text)
                .and("list", List.of(text, List.of(text)))
                .and("in", Fields.of("k" + text, text));

        Object read = yaml(printed(OutputFormat.YAML, printer -> printer.printOne(fields)));

        assertThat(read)
                .isEqualTo(Map.of("value", text, "list", List.of(text, List.of(text)), "in", Map.of("k" + text, text)));
    }
}
