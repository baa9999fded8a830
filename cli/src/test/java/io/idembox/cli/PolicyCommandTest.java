// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Policies;
import io.idembox.policy.yaml.PolicyFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policy files, without a database. */
class PolicyCommandTest {

    private static final String GOOD = """
            consumers:
              search-indexer:
                mode: stored
                ordering: hold
                identity: { strategy: [ cloud-events, { headers: [ x-id ] } ], fingerprint: { fields: [ /a ] } }
                sequence: { number: { header: version }, gap-timeout: 5m }
                retention: { ledger: 30d }
                pause: { failure-rate: 0.5, pause: 1m }
              notification-sender:
                retry: { max-attempts: 10, by: inbox, rules: { java.io.IOException: transient } }
                intents:
                  notify: { key-lifetime: 24h, on-unknown: retry-with-key }
            outbox:
              receipts: { retention: { ledger: 7d } }
            """;

    @TempDir
    private Path directory;

    private final Cli cli = Cli.withoutDatabase();

    private String file(String name, String text) {
        try {
            return Files.writeString(directory.resolve(name), text).toString();
        } catch (IOException error) {
            throw new AssertionError(error);
        }
    }

    @Test
    void allProblemsAreListedWithTheirLines() {
        String wrong =
                file("wrong.yaml", "consumers:\n  a:\n    mod: stored\n  b:\n    retry: { max-attempts: many }\n");

        Cli.Result lint = cli.run("policy", "lint", wrong, "-o", "json");

        assertThat(lint.exitCode()).isEqualTo(1);
        assertThat(lint.json().findValuesAsText("line")).containsExactly("3", "5");
        assertThat(lint.json().at("/0/problem").asText()).contains("did you mean mode?");
        assertThat(cli.run("policy", "lint", file("good.yaml", GOOD)).exitCode())
                .isZero();
        assertThat(cli.run("policy", "lint", "nowhere.yaml").exitCode()).isEqualTo(2);
        assertThat(cli.run("policy", "show", wrong).exitCode()).isEqualTo(2);
    }

    @Test
    void effectivePoliciesIncludeDefaults() {
        JsonNode shown = cli.json("policy", "show", file("good.yaml", GOOD));

        assertThat(shown.at("/consumers/search-indexer/mode").asText()).isEqualTo("stored");
        assertThat(shown.at("/consumers/search-indexer/retry/max-attempts").asInt())
                .isEqualTo(10);
        assertThat(shown.at("/consumers/search-indexer/identity/strategy").toString())
                .isEqualTo("[\"cloud-events\",{\"headers\":[\"x-id\"]}]");
        assertThat(shown.at("/consumers/notification-sender/identity/strategy").asText())
                .isEqualTo("standard");
        assertThat(shown.at("/consumers/notification-sender/sequence").asText()).isEqualTo("none");
        assertThat(shown.at("/consumers/notification-sender/retention/ledger").asText())
                .isEqualTo("forever");
        assertThat(shown.at("/outbox/receipts/retry/max-delay").asText()).isEqualTo("1m");
        JsonNode one = cli.json("policy", "show", file("good.yaml", GOOD), "search-indexer");
        assertThat(one.get("consumers")).hasSize(1);
        assertThat(cli.run("policy", "show", file("good.yaml", GOOD), "nobody").exitCode())
                .isEqualTo(1);
    }

    /** The output has every setting and only valid ones, so this finds a new setting that PolicyTree omits. */
    @Test
    void shownPoliciesCanBeReadAgain() {
        String shown = cli.run("policy", "show", file("good.yaml", GOOD)).out();
        String again = file("again.yaml", shown);

        Policies read = PolicyFile.read(Path.of(again));

        Policies first = PolicyFile.read("good", GOOD);
        assertThat(read.outbox()).isEqualTo(first.outbox());
        ConsumerPolicy sender = Objects.requireNonNull(first.consumers().get("notification-sender"));
        assertThat(read.consumers().get("notification-sender"))
                .isNotNull()
                .returns(sender.intents(), ConsumerPolicy::intents)
                .returns(sender.retry(), ConsumerPolicy::retry)
                .returns(sender.limits(), ConsumerPolicy::limits)
                .returns(sender.work(), ConsumerPolicy::work)
                .returns(sender.outgoing(), ConsumerPolicy::outgoing);
        assertThat(cli.run("policy", "show", again).out()).isEqualTo(shown);
        assertThat(cli.run("policy", "diff", file("good.yaml", GOOD), again).exitCode())
                .isZero();
    }

    /** A review needs no secrets, and none is shown. */
    @Test
    void secretsAreShownAsReferences() {
        String sealed = file("sealed.yaml", GOOD + "audit:\n  key-name: '2026'\n  key: ${env:NO_SUCH_VARIABLE}\n");

        String shown = cli.run("policy", "show", sealed).out();

        assertThat(cli.run("policy", "lint", sealed).exitCode()).isZero();
        assertThat(cli.json("policy", "show", sealed).at("/audit/key").asText()).isEqualTo("${env:NO_SUCH_VARIABLE}");
        assertThat(cli.run("policy", "diff", sealed, file("again.yaml", shown)).exitCode())
                .isZero();
    }

    @Test
    void diffComparesEffectivePolicies() {
        String a = file("a.yaml", "consumers:\n  billing: {}\n");
        String b = file("b.yaml", "consumers:\n  billing: { retry: { max-attempts: 5 }, mode: direct }\n");

        Cli.Result diff = cli.run("policy", "diff", a, b, "-o", "json");

        assertThat(diff.exitCode()).isEqualTo(1);
        assertThat(diff.json()).hasSize(1);
        assertThat(diff.json().at("/0/key").asText()).isEqualTo("consumers.billing.retry.max-attempts");
        assertThat(diff.json().at("/0/a").asText()).isEqualTo("10");
        assertThat(diff.json().at("/0/b").asText()).isEqualTo("5");
        assertThat(cli.run("policy", "diff", a, a).err()).contains("No differences.");
    }

    @Test
    void versionIsPrinted() {
        assertThat(cli.json("version").fieldNames()).toIterable().containsExactly("version", "java");
        assertThat(cli.run("version").out()).startsWith("idembox ");
        assertThat(cli.run("--version").out()).startsWith("idembox ");
    }
}
