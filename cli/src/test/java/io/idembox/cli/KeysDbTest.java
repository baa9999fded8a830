// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.HandlerException;
import io.idembox.Inbox;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queue of a key: its head, and how it is released. */
class KeysDbTest {

    private final TestInbox inbox = new TestInbox().withTables();
    private String policies = "";

    /** Message 1 of key 42 is parked, and 2 and 3 wait behind it. */
    @BeforeEach
    void parkHeadOfKey(@TempDir Path directory) throws Exception {
        policies = Files.writeString(
                        directory.resolve("policies.yaml"), "consumers:\n  ordered: { mode: stored, ordering: hold }\n")
                .toString();
        ConsumerPolicy policy = ConsumerPolicy.defaults().mode(Mode.STORED).ordering(Ordering.HOLD);
        CountDownLatch tried = new CountDownLatch(1);
        try (Inbox storing =
                Inbox.on(inbox.dataSource()).consumer("ordered", policy).start()) {
            for (String id : List.of("1", "2", "3")) {
                storing.store("ordered", TestInbox.order(id).keyed("42"));
            }
            storing.subscribe("ordered")
                    .on("OrderPlaced", String.class, (order, ctx) -> {
                        tried.countDown();
                        throw HandlerException.park("account 42 is locked");
                    })
                    .start();
            assertThat(tried.await(30, TimeUnit.SECONDS)).isTrue();
            // close() waits until the messages in progress are settled.
        }
    }

    @AfterEach
    void close() {
        inbox.close();
    }

    private String status(String id) {
        return inbox.cli()
                .json("messages", "get", "ordered", "/orders", id)
                .get("status")
                .asText();
    }

    private Cli.Result release(String... more) {
        String[] all = new String[more.length + 6];
        System.arraycopy(new String[] {"keys", "release", "ordered", "42", "--policies", policies}, 0, all, 0, 6);
        System.arraycopy(more, 0, all, 6, more.length);
        return inbox.cli().typing("n").run(all);
    }

    @Test
    void queueShowsHeadAndWaitingMessages() {
        JsonNode queue = inbox.cli().json("keys", "show", "ordered", "42");

        assertThat(queue.fieldNames())
                .toIterable()
                .containsExactly("consumer", "key", "waiting", "since", "head", "explanation", "behind");
        assertThat(queue.at("/waiting/number").asInt()).isEqualTo(2);
        assertThat(queue.get("since").asText()).isNotEmpty();
        assertThat(queue.at("/head/id").asText()).isEqualTo("1");
        assertThat(queue.at("/head/status").asText()).isEqualTo("PARKED");
        assertThat(queue.at("/head/error/message").asText()).isEqualTo("account 42 is locked");
        assertThat(queue.get("explanation").toString()).contains("redrives or discards it");
        assertThat(queue.get("behind").findValuesAsText("id")).containsExactly("2", "3");
        assertThat(inbox.cli()
                        .json("keys", "show", "ordered", "42", "--limit", "1")
                        .get("behind"))
                .hasSize(1);
        assertThat(inbox.cli().run("keys", "show", "ordered", "42").out()).contains("account 42 is locked");
        assertThat(inbox.cli()
                        .run("keys", "show", "ordered", "42", "--limit", "0")
                        .exitCode())
                .isEqualTo(2);

        Cli.Result nothing = inbox.cli().run("keys", "show", "ordered", "43", "-o", "json");
        assertThat(nothing.exitCode()).isZero();
        assertThat(nothing.json().get("head").isNull()).isTrue();
        assertThat(nothing.json().at("/waiting/number").asInt()).isZero();
        assertThat(nothing.err()).contains("Key 43 of ordered has no unfinished messages.");
    }

    @Test
    void releaseNeedsConfirmationReasonAndHead() {
        JsonNode preview = release("--dry-run", "-o", "json").json();
        assertThat(preview.get("command").asText()).isEqualTo("redrive");
        assertThat(preview.at("/messages/0/id").asText()).isEqualTo("1");
        assertThat(release("--discard-head", "--dry-run", "-o", "json")
                        .json()
                        .get("command")
                        .asText())
                .isEqualTo("discard");

        Cli.Result no = release("--reason", "x");
        assertThat(no.exitCode()).isEqualTo(1);
        assertThat(no.err()).contains("Redrive 1 message of ordered? [y/N]", "Nothing was done.");
        assertThat(release().exitCode()).as("without a reason").isEqualTo(2);
        Cli.Result nobody = inbox.cli().run("keys", "release", "ordered", "43", "-y", "--reason", "x");
        assertThat(nobody.exitCode()).isEqualTo(1);
        assertThat(nobody.err()).contains("Key 43 of ordered has no unfinished messages.");
        Cli.Result unknown = inbox.cli().run("keys", "release", "ordered", "42", "-y", "--reason", "x");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("--policies");
        assertThat(status("1")).isEqualTo("PARKED");
    }

    @Test
    void redrivenHeadRunsBeforeWaitingMessages() {
        Cli.Result released = release("-y", "--reason", "unlocked", "-o", "json");

        assertThat(released.exitCode()).isZero();
        assertThat(released.json().get("done").asInt()).isEqualTo(1);
        assertThat(status("1")).isIn("RECEIVED", "FAILED_RETRYABLE");
        assertThat(status("2")).isEqualTo("WAITING");
        assertThat(inbox.cli()
                        .json("keys", "show", "ordered", "42")
                        .at("/head/id")
                        .asText())
                .isEqualTo("1");
        JsonNode audit = inbox.cli().json("audit", "list");
        assertThat(audit.at("/0/reason").asText()).isEqualTo("unlocked");
        assertThat(audit.at("/0/filter").asText()).isEqualTo("the head of key 42");
    }

    @Test
    void discardedHeadReleasesNextMessage() {
        Cli.Result released = release("--discard-head", "-y", "--reason", "the account is gone", "-o", "json");

        assertThat(released.exitCode()).isZero();
        assertThat(status("1")).isEqualTo("DISCARDED");
        assertThat(status("2")).isEqualTo("RECEIVED");
        JsonNode queue = inbox.cli().json("keys", "show", "ordered", "42");
        assertThat(queue.at("/head/id").asText()).isEqualTo("2");
        assertThat(queue.at("/waiting/number").asInt()).isEqualTo(1);
    }
}
