// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.policy.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each file that cannot be meant is refused in one line that says where and why. */
class WrongFilesTest {

    private static Arguments billing(String keys, String said) {
        return Arguments.of("consumers:\n  billing:\n" + keys.indent(4), "p.yaml, line " + said);
    }

    private static Arguments file(String yaml, String said) {
        return Arguments.of(yaml, "p.yaml, " + said);
    }

    static Stream<Arguments> misspelled() {
        return Stream.of(
                file("consumer:\n  billing:\n", "line 1: 'consumer' is unknown; did you mean consumers?"),
                file("nonsense: 1\n", "line 1: 'nonsense' is unknown; known keys: consumers, outbox, audit"),
                billing("mod: stored", "3: 'mod' is unknown in consumers.billing; did you mean mode?"),
                billing(
                        "retry:\n  max-atempts: 3",
                        "4: 'max-atempts' is unknown in consumers.billing.retry; did you mean max-attempts?"),
                billing(
                        "retry: { maxAttempts: 3 }",
                        "3: 'maxAttempts' is unknown in consumers.billing.retry; did you mean max-attempts?"),
                billing("mode: direkt", "3: consumers.billing.mode must be one of direct, stored, not 'direkt'"),
                billing("mode: STORED", "3: consumers.billing.mode must be one of direct, stored, not 'STORED'"),
                billing(
                        "intents: { charge: { retry: { by: inbox } } }",
                        "3: 'by' is unknown in consumers.billing.intents.charge.retry; known keys: "),
                billing(
                        "intents: { charge: { retry: { rules: { java.io.IOException: park } } } }",
                        "3: 'rules' is unknown in consumers.billing.intents.charge.retry; known keys: "),
                billing(
                        "intents: { charge: { work: { batch: 5 } } }",
                        "3: 'batch' is unknown in consumers.billing.intents.charge.work; known keys: "),
                billing(
                        "sequence: { number: { header: v }, refetch: x }",
                        "3: 'refetch' is unknown in consumers.billing.sequence; known keys: "),
                file(
                        "outbox:\n  receipts:\n    retry: { by: inbox }\n",
                        "line 3: 'by' is unknown in outbox.receipts.retry; known keys: "));
    }

    static Stream<Arguments> senseless() {
        return Stream.of(
                billing(
                        "retry: { first-delay: -5s }",
                        "3: consumers.billing.retry.first-delay must be a time such as 500ms, 30s, 10m, 12h or 14d, not '-5s'"),
                billing("retry: { first-delay: 5 }", "3: consumers.billing.retry.first-delay must be a time such as"),
                billing(
                        "retry: { max-delay: 99999999999999999d }",
                        "3: consumers.billing.retry.max-delay is too long a time"),
                billing(
                        "retry: { max-delay: 999999d }",
                        "3: consumers.billing.retry: retry.max-delay must not be longer than ten years"),
                billing(
                        "retry: { first-delay: -PT5S }",
                        "3: consumers.billing.retry: retry.first-delay must not be negative"),
                billing(
                        "retry: { max-attempts: 0 }",
                        "3: consumers.billing.retry: retry.max-attempts must be between 1 and 30000, was 0"),
                billing(
                        "retry: { max-attempts: ten }",
                        "3: consumers.billing.retry.max-attempts must be a whole number, not 'ten'"),
                billing(
                        "retry: { max-attempts: 99999999999 }",
                        "3: consumers.billing.retry.max-attempts must be at most 2147483647"),
                billing(
                        "retry: { max-attempts: 9999999999999999999999 }",
                        "3: consumers.billing.retry.max-attempts is too large a number"),
                billing(
                        "retry: { jitter: 2 }",
                        "3: consumers.billing.retry: retry.jitter must be between 0 and 1, was 2.0"),
                billing(
                        "retry: { jitter: NaN }",
                        "3: consumers.billing.retry.jitter must be a number such as 0.5, not 'NaN'"),
                billing(
                        "retry: { rules: { java.lang.String: park } }",
                        "3: consumers.billing.retry.rules names a class that is not an exception: 'java.lang.String'"),
                billing(
                        "retry: { rules: { no.such.Error: park } }",
                        "3: consumers.billing.retry.rules names a class that was not found: 'no.such.Error'"),
                billing(
                        "limits: { payload-bytes: 1GiB }",
                        "3: consumers.billing.limits: limits.payload-bytes must be between 1 and 67108864"),
                billing(
                        "limits: { payload-bytes: 16 MB }",
                        "3: consumers.billing.limits.payload-bytes must be a number of bytes such as 500000, 64KiB or 16MiB"),
                billing(
                        "identity: { strategy: guess }",
                        "3: consumers.billing.identity.strategy must be one of standard, cloud-events, message, position"),
                billing(
                        "identity: { strategy: { headers: [ correlation-id ] } }",
                        "3: consumers.billing.identity.strategy: identity.headers: correlation-id is shared by all messages"),
                billing(
                        "identity: { strategy: { headers: [] } }",
                        "3: consumers.billing.identity.strategy needs a list such as [ one, two ] for headers"),
                billing(
                        "identity: { strategy: { by-type: { } } }",
                        "3: consumers.billing.identity.strategy needs event types and their identity strategies below by-type"),
                billing(
                        "identity: { strategy: { by-type: { OrderPaid: guess } } }",
                        "3: consumers.billing.identity.strategy must be one of standard, cloud-events, message, position"),
                billing(
                        "identity: { strategy: { by-type: { OrderPaid: message }, else: message } }",
                        "3: consumers.billing.identity.strategy must be one of standard, cloud-events, message, position"),
                billing(
                        "identity: { strategy: { by-type: { OrderPaid: { headers: [ correlation-id ] } } } }",
                        "3: consumers.billing.identity.strategy: identity.headers: correlation-id is shared by all messages"),
                billing(
                        "identity: { fingerprint: maybe }",
                        "3: consumers.billing.identity.fingerprint must be bytes, off, or"));
    }

    static Stream<Arguments> incomplete() {
        return Stream.of(
                billing("sequence: { gap-timeout: 5m }", "3: consumers.billing.sequence needs number"),
                billing(
                        "sequence: { number: { header: version } }",
                        "3: consumers.billing: sequence needs ordering hold or skip-parked"),
                billing(
                        "ordering: hold\nsequence: { number: { header: v }, on-gap: refetch }",
                        "4: consumers.billing.sequence: sequence.on-gap refetch needs a Refetch"),
                billing("pause: { failure-rate: 0.5 }", "3: consumers.billing.pause needs pause"),
                billing(
                        "intents: { charge: { on-unknown: retry-with-key } }",
                        "3: consumers.billing.intents.charge: intent.on-unknown retry-with-key needs intent.key-lifetime"),
                billing("retention: 30d", "3: consumers.billing.retention needs keys and values below it"),
                billing("retention: { ledger: never }", "3: consumers.billing.retention.ledger must be a time such as"),
                billing("mode: [ stored ]", "3: consumers.billing.mode needs a single value"),
                billing("mode:", "3: consumers.billing.mode needs a single value"),
                billing(
                        "outgoing: { dead-letters: \"${TOPIC}\" }",
                        "3: consumers.billing.outgoing.dead-letters is not a secret, and placeholders are for secrets only"),
                file(
                        "consumers:\n  ? ''\n  : { mode: stored }\n",
                        "line 2: a name in consumers must have 1 to 200 printable characters"),
                file("consumers: [ billing ]\n", "line 1: consumers needs names and their keys below it"),
                file("billing\n", "line 1: the file needs keys and values below it"));
    }

    static Stream<Arguments> alerts() {
        return Stream.of(
                billing(
                        "alerts: { parkd: 1 }",
                        "3: 'parkd' is unknown in consumers.billing.alerts; did you mean parked?"),
                billing(
                        "alerts: { parked: 0 }",
                        "3: consumers.billing.alerts: alerts.parked must be between 1 and 10000, was 0"),
                billing("alerts: { parked: -1 }", "3: consumers.billing.alerts: alerts.parked must be between 1 and"),
                billing(
                        "alerts: { parked: many }",
                        "3: consumers.billing.alerts.parked must be a whole number, not 'many'"),
                billing(
                        "alerts: { parked: 1.5 }",
                        "3: consumers.billing.alerts.parked must be a whole number, not '1.5'"),
                billing("alerts: 1", "3: consumers.billing.alerts needs keys and values below it"),
                billing(
                        "alerts:\n  parked: 1\n  pending-age: 0s",
                        "5: consumers.billing.alerts: alerts.pending-age must be at least 1000 ms, was PT0S"),
                billing(
                        "alerts: { pending-age: 60 }",
                        "3: consumers.billing.alerts.pending-age must be a time such as"),
                billing(
                        "alerts: { pending-age: soon }",
                        "3: consumers.billing.alerts.pending-age must be a time such as"),
                billing(
                        "alerts: { duplicate-share: 20 }",
                        "3: consumers.billing.alerts: alerts.duplicate-share must be above 0 and at most 1, was 20.0"),
                billing(
                        "alerts: { duplicate-share: 0 }",
                        "3: consumers.billing.alerts: alerts.duplicate-share must be"),
                billing(
                        "alerts: { duplicate-share: 20% }",
                        "3: consumers.billing.alerts.duplicate-share must be a number such as 0.5, not '20%'"),
                billing(
                        "mode: stored\nalerts: { sequence-gap: 1m }",
                        "4: consumers.billing: alerts.sequence-gap needs a sequence: without one there are no gaps"),
                billing(
                        "strategy: sequenced\nsequence: { number: { header: v } }\nretry: { by: redelivery }",
                        "5: consumers.billing: retry.by redelivery cannot be used with ordering hold"),
                billing(
                        "mode: stored\nretry: { by: redelivery }",
                        "4: consumers.billing: retry.by redelivery cannot be used with mode stored"),
                billing(
                        "strategy: sequenced\nmode: stored\nsequence: { number: { header: v } }\nalerts: { sequence-gap: 10m }",
                        "6: consumers.billing: alerts.sequence-gap (PT10M) must be shorter than sequence.gap-timeout (PT5M)"));
    }

    static Stream<Arguments> beginnings() {
        return Stream.of(
                billing(
                        "strategy: efects",
                        "3: consumers.billing.strategy must be one of ids, inbox, sequenced, effects, not 'efects'; did you mean"
                                + " effects?"),
                billing(
                        "strategy: INBOX",
                        "3: consumers.billing.strategy must be one of ids, inbox, sequenced, effects, not 'INBOX';"),
                billing(
                        "strategy: upsert",
                        "3: consumers.billing.strategy must be one of ids, inbox, sequenced, effects, not 'upsert'"),
                billing("strategy: [ inbox, effects ]", "3: consumers.billing.strategy needs a single value"),
                billing("startegy: inbox", "3: 'startegy' is unknown in consumers.billing; did you mean strategy?"),
                billing(
                        "owner: me\nstrategy: sequenced",
                        "4: consumers.billing: strategy sequenced needs a sequence: where the sequence number of a message is"),
                billing(
                        "strategy: effects\nreplay: allowed",
                        "4: consumers.billing: replay allowed cannot be used with strategy effects"),
                billing(
                        "replay: no_effects",
                        "3: consumers.billing.replay must be one of forbidden, no-effects, allowed, not 'no_effects'; did you mean"
                                + " no-effects?"),
                billing(
                        "replay: true",
                        "3: consumers.billing.replay must be one of forbidden, no-effects, allowed, not 'true'"),
                billing("owner:", "3: consumers.billing.owner needs a single value"),
                billing("owner: [ anna, bert ]", "3: consumers.billing.owner needs a single value"),
                billing(
                        "owner: \"  \"",
                        "3: consumers.billing: owner must have 1 to 200 printable characters, was '  '"),
                billing(
                        "owner: \"team\\nbilling\"",
                        "3: consumers.billing: owner must have 1 to 200 printable characters, was 'team?billing'"),
                billing(
                        "owner: " + "x".repeat(201),
                        "3: consumers.billing: owner must have 1 to 200 printable characters"));
    }

    private static Arguments audit(String keys, String said) {
        return file("audit:\n" + keys.indent(2), "line " + said);
    }

    static Stream<Arguments> secrets() {
        String refused = "3: audit.key is a secret and must not be in the file: put it into the environment and write"
                + " ${env:NAME} here";
        return Stream.of(
                audit("key-name: k\nkey: hunter2hunter2hunter2hunter2hunter2", refused),
                audit("key-name: k\nkey: ${KEY}", refused),
                audit("key-name: k\nkey: ${env:KEY} and more", refused),
                audit("key-name: k\nkey: ${file:/etc/passwd}", refused),
                audit("key-name: k\nkey: ${env:A-B}", refused),
                audit("key-name: k\nkey: \"${env:${env:KEY}}\"", refused),
                audit("key-name: k\nkey:", "3: audit.key needs a single value"),
                audit("key-name: k\nkey: [ \"${env:KEY}\" ]", "3: audit.key needs a single value"),
                audit(
                        "key-name: k\nkey: ${env:NO_SUCH}",
                        "3: audit.key is not set: the environment has no variable NO_SUCH"),
                audit(
                        "key-name: k\nkey: ${env:EMPTY}",
                        "3: audit.key is not set: the environment has no variable EMPTY"),
                audit(
                        "key-name: k\nkey: ${env:SHORT}",
                        "3: audit: The audit key k has 5 bytes; it needs at least 32 random bytes"),
                audit("key-name: k", "2: audit needs key"),
                audit("key: ${env:KEY}", "2: audit needs key-name"),
                audit("key-name: a b\nkey: ${env:KEY}", "2: audit: audit.key-name must have 1 to 40 letters, digits"),
                audit(
                        "key-name: ${env:KEY}\nkey: ${env:KEY}",
                        "2: audit.key-name is not a secret, and placeholders are for secrets only"),
                file("audit: ${env:KEY}\n", "line 1: audit needs keys and values below it"),
                billing(
                        "owner: ${env:TEAM}",
                        "3: consumers.billing.owner is not a secret, and placeholders are for secrets only"),
                billing(
                        "identity:\n  strategy: { headers: [ \"${env:HEADER}\" ] }",
                        "4: consumers.billing.identity.strategy is not a secret, and placeholders are for secrets only"),
                billing(
                        "retry: { max-attempts: \"${env:N}\" }",
                        "3: consumers.billing.retry.max-attempts is not a secret, and placeholders are for secrets only"),
                file(
                        "consumers:\n  ${env:NAME}: { mode: stored }\n",
                        "line 2: a name in consumers is not a secret, and placeholders are for secrets only"));
    }

    /** A secret that stands in a file by mistake is not repeated in a log. */
    @Test
    void aSecretIsNeverSaid() {
        assertThatThrownBy(() -> read("audit: { key-name: k, key: hunter2hunter2hunter2hunter2hunter2 }"))
                .message()
                .doesNotContain("hunter2");
        assertThatThrownBy(() -> read("audit:\n  key-name: k\n  key: ${env:SHORT}"))
                .message()
                .doesNotContain("swift");
        assertThat(read("audit:\n  key-name: k\n  key: ${env:KEY}").toString()).doesNotContain("0123");
    }

    private static Policies read(String yaml) {
        Map<String, String> environment =
                Map.of("KEY", "0123456789".repeat(4), "SHORT", "swift", "EMPTY", "", "HEADER", "x-id", "TEAM", "us");
        return PolicyFile.read("p.yaml", yaml, name -> Optional.ofNullable(environment.get(name)));
    }

    static Stream<Arguments> hostile() {
        StringBuilder bomb = new StringBuilder("a: &a [ x, x, x, x, x, x, x, x, x ]\n");
        for (char each = 'b'; each <= 'j'; each++) {
            bomb.append(each).append(": &").append(each).append(" [ ");
            bomb.append(String.join(", ", java.util.Collections.nCopies(9, "*" + (char) (each - 1))));
            bomb.append(" ]\n");
        }
        return Stream.of(
                file(bomb.toString(), "line 1: anchors and aliases (& and *) are not allowed; write the value out"),
                billing("<<: *base", "3: anchors and aliases"),
                billing("mode: !!javax.script.ScriptEngineManager [ x ]", "3: tags are not allowed"),
                billing("mode: !!str stored", "3: tags are not allowed: tag:yaml.org,2002:str"),
                file("!!java.io.File [ /etc/passwd ]\n", "line 1: tags are not allowed"),
                billing("mode: stored\nmode: direct", "4: mode is a duplicate key; first used in line 3"),
                file(
                        "consumers:\n  a: { mode: stored }\n---\nconsumers:\n  b: { mode: stored }\n",
                        "line 4: a second document is not allowed"),
                file("consumers:\n\tbilling: 1\n", "line 2: this is not YAML"),
                file("consumers: { billing: { mode: stored }\n", "line 2: this is not YAML"),
                file("consumers: \"\\u0000\n", "line "),
                file("a: \"\\UFFFFFFFF\"\n", "this is not YAML: an escape is not a valid character"),
                file(
                        "consumers: { \"\\uD800\": { mode: stored } }\n",
                        "line 1: a name in consumers must have 1 to 200 printable"),
                file("? [ a, b ]\n: c\n", "line 1: a key must be a single value, not a list or a section"),
                file("[".repeat(100_000), "line 1: the file is nested deeper than 20 levels"),
                file("{a: ".repeat(50_000), "line 1: the file is nested deeper than 20 levels"),
                file("# " + "x".repeat(300_000) + "\n", "the file has 300003 characters; the maximum is 262144"),
                file("consumers:\n  " + "x".repeat(2_000) + ": { mode: stored }\n", "line 2: "),
                billing(
                        "mode: \"\\e[31mstored\\a\"",
                        "3: consumers.billing.mode must be one of direct, stored, not ' [31mstored '"));
    }

    @ParameterizedTest
    @MethodSource({"misspelled", "senseless", "incomplete", "alerts", "beginnings", "secrets", "hostile"})
    void isRefusedInOneLine(String yaml, String said) {
        assertThatThrownBy(() -> read(yaml))
                .isInstanceOf(PolicyFileException.class)
                .hasMessageStartingWith(said)
                .satisfies(thrown -> assertThat(thrown.getMessage())
                        .doesNotContain("\n", "\r", "\u001b")
                        .hasSizeLessThan(600));
    }

    @Test
    void allMistakesAreToldTogether() {
        assertThatThrownBy(() -> PolicyFile.read("p.yaml", """
                consumers:
                  billing:
                    mode: sometimes
                    retry: { max-attempts: 0, jitterr: 1 }
                """))
                .isInstanceOfSatisfying(PolicyFileException.class, thrown -> {
                    assertThat(thrown.problems()).extracting(Problem::line).containsExactly(3, 4, 4);
                    assertThat(thrown).hasMessageEndingWith("not 'sometimes' (and 2 more)");
                });
    }

    @Test
    void aFileThatIsTooLongOrNoTextIsNotRead(@TempDir Path folder) throws IOException {
        Path large = folder.resolve("large.yaml");
        Files.write(
                large,
                IntStream.range(0, 11).mapToObj(i -> "#".repeat(1_000_000)).toList());
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

        assertThatThrownBy(() -> PolicyFile.read(large))
                .hasMessage("large.yaml, the file has 11000011 bytes; the maximum is 1048576");
        assertThatThrownBy(() -> PolicyFile.read(binary)).hasMessage("binary.yaml, the file is not UTF-8 text");
        assertThatThrownBy(() -> PolicyFile.read(folder.resolve("none.yaml")))
                .hasMessageContaining("Cannot read the policy file");
        assertThat(List.of(large, binary)).allMatch(Files::exists);
    }
}
