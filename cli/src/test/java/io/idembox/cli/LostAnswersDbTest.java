// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls with an operation id are repeated after a lost answer, and take effect once. */
class LostAnswersDbTest {

    private final TestInbox inbox = new TestInbox().parked("billing", "1");

    @TempDir
    Path directory;

    private LosingDriver way;
    private String plan;

    @BeforeEach
    void prepare() throws Exception {
        way = new LosingDriver();
        Files.writeString(directory.resolve("payload"), "{}", UTF_8);
        plan = inbox.cli()
                .json("parked", "discard", "--consumer", "billing", "--dry-run")
                .at("/previews/0/preview")
                .asText();
    }

    @AfterEach
    void close() throws Exception {
        way.close();
        inbox.close();
    }

    private Cli.Result give(String command) {
        String group = inbox.cli().json("parked", "groups").at("/0/group").asText();
        List<String> all = new ArrayList<>();
        for (String word : command.split(" ", -1)) {
            all.add(
                    switch (word) {
                        case "GROUP" -> group;
                        case "FILE" -> directory.resolve("payload").toString();
                        case "PLAN" -> plan;
                        default -> word;
                    });
        }
        all.addAll(List.of("-y", "--reason", "because", "-o", "json"));
        return Cli.on(way.to(inbox.url())).run(all.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "consumers pause billing",
                "consumers resume billing",
                "parked note GROUP known",
                "messages payload billing /orders 1",
                "parked edit billing /orders 1 --payload FILE",
                "parked redrive --consumer billing",
                "operations cancel PLAN"
            })
    void lostAnswerIsRetriedWithoutSecondEffect(String command) {
        way.loseAnswers(1);

        Cli.Result result = give(command);

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(way.hasLost()).isTrue();
        JsonNode audit = inbox.cli().json("audit", "list");
        assertThat(audit).hasSize(1);
        assertThat(audit.at("/0/reason").asText()).isEqualTo("because");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "consumers pause billing",
                "parked note GROUP known",
                "messages payload billing /orders 1",
                "parked edit billing /orders 1 --payload FILE",
                "parked redrive --consumer billing",
                "operations start PLAN --detach"
            })
    void unansweredOperationIsReportedWithItsId(String command) {
        way.loseCommits(Integer.MAX_VALUE);

        Cli.Result result = give(command);

        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.err())
                .containsPattern("Operation [0-9a-f-]{36}: the connection was lost during the commit")
                .contains("idembox audit list", "messages get")
                .doesNotContain("all again");
        assertThat(inbox.cli().json("audit", "list")).isEmpty();
    }

    @Test
    void reportedOperationIdIsInTheAuditTrail() {
        way.loseAnswers(1);

        JsonNode paused = give("consumers pause billing").json();

        assertThat(paused.get("changed").asBoolean()).isTrue();
        assertThat(inbox.cli().json("audit", "list").at("/0/operation").asText())
                .isEqualTo(paused.get("operation").asText());
    }
}
