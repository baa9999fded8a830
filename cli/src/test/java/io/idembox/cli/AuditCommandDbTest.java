// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idembox.audit.AuditHead;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit trail: listed, exported, and verified with its key. */
class AuditCommandDbTest {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final TestInbox inbox = new TestInbox().withTables();

    @TempDir
    Path directory;

    private String keyFile = "";

    @BeforeEach
    void writeKey() throws Exception {
        keyFile = "2026=" + Files.writeString(directory.resolve("key"), SECRET + "\n", UTF_8);
    }

    @AfterEach
    void close() {
        inbox.close();
    }

    private Cli sealing() {
        return inbox.cli().variable("IDEMBOX_AUDIT_KEY", SECRET).variable("IDEMBOX_AUDIT_KEY_NAME", "2026");
    }

    /** Two operations on messages, one on the consumer. */
    private void createOperations() {
        inbox.parked("billing", "1", "2");
        sealing().run("parked", "redrive", "--consumer", "billing", "-y", "--reason", "open again", "--by", "anna");
        sealing().run("consumers", "pause", "billing", "--reason", "lunch", "--by", "bob");
        sealing().run("parked", "park", "--consumer", "billing", "-y", "--reason", "closed", "--by", "anna");
    }

    private void tamper(String sql) {
        try (Connection connection = inbox.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            assertThat(statement.executeUpdate()).isPositive();
        } catch (SQLException error) {
            throw new AssertionError(error);
        }
    }

    private Cli.Result verify(String... more) {
        String[] all = new String[more.length + 4];
        System.arraycopy(new String[] {"audit", "verify", "-o", "json"}, 0, all, 0, 4);
        System.arraycopy(more, 0, all, 4, more.length);
        return sealing().run(all);
    }

    @Test
    void operationsAreListedNewestLast() {
        createOperations();

        JsonNode rows = inbox.cli().json("audit", "list");

        assertThat(rows.findValuesAsText("number")).containsExactly("1", "2", "3");
        assertThat(rows.findValuesAsText("command")).containsExactly("REDRIVE", "PAUSE", "PARK");
        JsonNode first = rows.get(0);
        assertThat(first.fieldNames())
                .toIterable()
                .containsExactly(
                        "number",
                        "at",
                        "consumer",
                        "command",
                        "operation",
                        "by",
                        "role",
                        "reason",
                        "filter",
                        "asked",
                        "done",
                        "touched",
                        "sealedWith");
        assertThat(first.get("by").asText()).isEqualTo("anna");
        assertThat(first.get("done").asInt()).isEqualTo(2);
        assertThat(first.at("/touched/0/before").asText()).isEqualTo("PARKED");
        assertThat(first.at("/touched/0/verdict").asText()).isEqualTo("DONE");
        assertThat(first.get("sealedWith").asText()).isEqualTo("2026");

        assertThat(inbox.cli().json("audit", "list", "--limit", "2").findValuesAsText("number"))
                .containsExactly("2", "3");
        Cli.Result paged = inbox.cli().run("audit", "list", "--after", "0", "--limit", "1", "-o", "ndjson");
        assertThat(paged.out().lines()).hasSize(1).allMatch(line -> line.startsWith("{\"number\":1,"));
        assertThat(paged.err()).contains("Continue with --after 1.");
        assertThat(inbox.cli().json("audit", "list", "--after", "3")).isEmpty();
        assertThat(inbox.cli().run("audit", "list").out()).contains("NUMBER", "REDRIVE", "open again");
        assertThat(inbox.cli().run("audit", "list", "--limit", "0").exitCode()).isEqualTo(2);
    }

    @Test
    void intactTrailExitsWithZero() {
        createOperations();

        Cli.Result result = verify();

        assertThat(result.exitCode()).isZero();
        assertThat(result.json().fieldNames())
                .toIterable()
                .containsExactly("intact", "checked", "keyless", "head", "findings");
        assertThat(result.json().get("intact").asBoolean()).isTrue();
        assertThat(result.json().get("checked").asInt()).isEqualTo(3);
        assertThat(result.json().get("keyless").asInt()).isZero();
        assertThat(AuditHead.parse(result.json().get("head").asText()).number()).isEqualTo(3);
        assertThat(result.err()).contains("To detect a truncated trail, use --heads.");
        assertThat(inbox.cli()
                        .run("audit", "verify", "--audit-key-file", keyFile)
                        .exitCode())
                .isZero();
        assertThat(inbox.cli().run("audit", "verify", "--older-key", keyFile).exitCode())
                .isZero();
    }

    @Test
    void tamperedRowIsReportedWithItsNumber() {
        createOperations();
        tamper("update idembox_operation set by_whom = 'mallory' where number = 2");

        Cli.Result result = verify();

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.json().get("intact").asBoolean()).isFalse();
        assertThat(result.json().at("/findings/0/kind").asText()).isEqualTo("CHANGED");
        assertThat(result.json().at("/findings/0/number").asInt()).isEqualTo(2);
        assertThat(result.json().get("findings")).hasSize(1);
        assertThat(sealing().run("audit", "verify").out()).contains("CHANGED");

        tamper("update idembox_operation set kind = 'NONSENSE' where number = 2");
        Cli.Result senseless = inbox.cli().run("audit", "list");
        assertThat(senseless.exitCode()).isEqualTo(1);
        assertThat(senseless.err()).contains("Operation 2 of the audit trail").contains("verify");
    }

    @Test
    void truncatedTrailIsDetectedWithEarlierExport() throws Exception {
        createOperations();
        Path kept = directory.resolve("audit.ndjson");
        assertThat(inbox.cli().run("audit", "export", "--to", kept.toString()).exitCode())
                .isZero();
        List<String> lines = Files.readAllLines(kept, UTF_8);
        assertThat(lines).hasSize(4);
        assertThat(new ObjectMapper().readTree(lines.get(2)).get("command").asText())
                .isEqualTo("PARK");
        AuditHead head = AuditHead.parse(
                new ObjectMapper().readTree(lines.get(3)).get("head").asText());
        assertThat(head.number()).isEqualTo(3);
        assertThat(inbox.cli().run("audit", "export").out().lines()).containsExactlyElementsOf(lines);
        assertThat(verify("--heads", kept.toString()).exitCode()).isZero();

        tamper("delete from idembox_operation where number = 3");
        tamper(
                "update idembox_audit_head set number = 2, seal = (select seal from idembox_operation where number = 2)");

        assertThat(verify().exitCode())
                .as("the database alone does not show a truncated trail")
                .isZero();
        Cli.Result cut = verify("--heads", kept.toString());
        assertThat(cut.exitCode()).isEqualTo(1);
        assertThat(cut.json().at("/findings/0/kind").asText()).isEqualTo("CUT");
        Path log = Files.writeString(directory.resolve("heads.txt"), "# kept by the log\n\n" + head + "\n", UTF_8);
        assertThat(verify("--heads", log.toString()).exitCode()).isEqualTo(1);

        Cli.Result again = inbox.cli().run("audit", "export", "--to", kept.toString());
        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).contains("already exists");
        assertThat(Files.readAllLines(kept, UTF_8)).isEqualTo(lines);
        assertThat(inbox.cli().run("audit", "export", "-o", "yaml").exitCode()).isEqualTo(2);
    }

    @Test
    void resultIsUnknownWithoutTheKey() {
        createOperations();

        Cli.Result keyless = inbox.cli().run("audit", "verify", "-o", "json");
        assertThat(keyless.exitCode()).isEqualTo(2);
        assertThat(keyless.json().get("findings").findValuesAsText("kind")).containsOnly("KEY_UNKNOWN");

        inbox.cli().run("consumers", "resume", "billing", "--reason", "run without the key");
        Cli.Result unsealed = verify();
        assertThat(unsealed.exitCode()).isEqualTo(1);
        assertThat(unsealed.json().at("/findings/0/kind").asText()).isEqualTo("UNSEALED");
        assertThat(unsealed.err()).contains("sealed without a key");
    }

    @Test
    void unreadableKeyIsReportedWithoutItsValue() throws Exception {
        Cli.Result nameless = inbox.cli().variable("IDEMBOX_AUDIT_KEY", SECRET).run("audit", "verify");
        assertThat(nameless.exitCode()).isEqualTo(2);
        assertThat(nameless.err()).contains("IDEMBOX_AUDIT_KEY_NAME").doesNotContain(SECRET);
        Cli.Result typed = inbox.cli().run("audit", "verify", "--audit-key-file", SECRET);
        assertThat(typed.exitCode()).isEqualTo(2);
        assertThat(typed.err()).contains("2026=").doesNotContain(SECRET);
        Path weak = Files.writeString(directory.resolve("weak"), "short", UTF_8);
        assertThat(inbox.cli()
                        .run("audit", "verify", "--audit-key-file", "2026=" + weak)
                        .err())
                .contains("at least 32")
                .doesNotContain("short ");
        assertThat(verify("--heads", directory.resolve("none").toString()).exitCode())
                .isEqualTo(2);
        Path empty = Files.writeString(directory.resolve("empty"), "# nothing\n", UTF_8);
        assertThat(verify("--heads", empty.toString()).exitCode()).isEqualTo(2);
        Path nonsense = Files.writeString(directory.resolve("nonsense"), "1 ab\nx y\n", UTF_8);
        assertThat(verify("--heads", nonsense.toString()).err()).contains("line 2");
    }

    /** The file is read line by line: an export may be larger than memory. */
    @Test
    void headsAreReadLineByLine() throws Exception {
        Path broken = Files.writeString(directory.resolve("broken"), "1 ab\n" + "{}\n".repeat(100_000), UTF_8);
        Files.write(broken, new byte[] {(byte) 0xff, '\n'}, StandardOpenOption.APPEND);
        Cli.Result unreadable = verify("--heads", broken.toString());
        assertThat(unreadable.exitCode()).isEqualTo(2);
        assertThat(unreadable.err()).contains("cannot be read");

        Path nonsense = Files.write(directory.resolve("nonsense"), "x y\n".getBytes(UTF_8));
        Files.write(nonsense, Files.readAllBytes(broken), StandardOpenOption.APPEND);
        assertThat(verify("--heads", nonsense.toString()).err()).contains("line 1");
    }
}
