// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import static io.idembox.acceptance.kafka.Published.allConfirmed;
import static io.idembox.acceptance.kafka.Published.causeOf;
import static io.idembox.acceptance.kafka.Published.idsIn;
import static io.idembox.acceptance.kafka.Published.messages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.acceptance.Overheard;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.spi.PublishResult;
import io.idembox.spi.PublishResult.Failed;
import io.idembox.testkit.kafka.KafkaServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.PasswordCallback;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that is down, frozen or refuses access: failures are reported in time, and the same publisher recovers. */
class KafkaPublisherTroubleDbTest {

    @TempDir
    private static Path directory;

    private static KafkaServer server;

    private KafkaBench bench;
    private KafkaPublisher publisher;

    @BeforeAll
    static void start() {
        server = KafkaServer.builder()
                .directory(directory)
                .login("anna", "right")
                .setting("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .setting("super.users", "User:ANONYMOUS")
                .start();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @BeforeEach
    void open() {
        if (!server.isRunning()) {
            server.restart();
        }
        bench = new KafkaBench(server, 3);
        publisher = publisher(Map.of());
    }

    @AfterEach
    void close() {
        publisher.close();
        bench.close();
    }

    private static KafkaPublisher publisher(Map<String, Object> more) {
        Map<String, Object> config = new HashMap<>(Map.of(
                "bootstrap.servers",
                server.bootstrap(),
                "delivery.timeout.ms",
                "3000",
                "reconnect.backoff.max.ms",
                "200"));
        config.putAll(more);
        return KafkaPublisher.on(config);
    }

    private static Duration since(long began) {
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private List<PublishResult> publish(String prefix) throws InterruptedException {
        return publisher.publish(bench.topic, messages(prefix, 20));
    }

    private void failsInTime(String prefix) throws InterruptedException {
        long began = System.nanoTime();
        assertThat(publish(prefix)).hasSize(20).allMatch(Failed.class::isInstance);
        // max.block.ms for the metadata, the delivery timeout, and a margin for a slow machine.
        assertThat(since(began)).isLessThan(Duration.ofSeconds(12));
    }

    private void comesThrough(String prefix) {
        KafkaBench.await("confirmation of " + prefix, () -> {
            try {
                return publish(prefix).stream().allMatch(PublishResult.Confirmed.class::isInstance);
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
    }

    @Test
    @Tag("slow")
    void publishesWhenTheBrokerIsBack() throws InterruptedException {
        server.kill();
        failsInTime("a");
        server.restart();
        comesThrough("b");
        server.kill();
        failsInTime("c");
        server.restart();
        comesThrough("c");
        assertThat(idsIn(server.bootstrap(), bench.topic))
                .contains("b0", "b19", "c0", "c19")
                .noneMatch(id -> id.startsWith("a"));
    }

    @Test
    @Tag("slow")
    void frozenBrokerFailsAndIsPublishedToAgain() throws Exception {
        allConfirmed(publish("a"));
        signal("-STOP");
        try {
            failsInTime("b");
        } finally {
            signal("-CONT");
        }
        comesThrough("b");
        comesThrough("c");
        assertThat(idsIn(server.bootstrap(), bench.topic))
                .containsAll(Stream.of("a", "b", "c")
                        .flatMap(prefix -> messages(prefix, 20).stream())
                        .map(message -> message.id().orElseThrow())
                        .toList());
        assertThat(idsIn(server.bootstrap(), bench.topic))
                .filteredOn(id -> id.startsWith("a"))
                .hasSize(20);
    }

    private static void signal(String signal) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", signal, String.valueOf(server.pid())).start();
        assertThat(kill.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(kill.exitValue()).isZero();
    }

    private static KafkaPublisher guarded() {
        return publisher(Map.of(
                "bootstrap.servers",
                server.bootstrapForLogin(),
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"anna\" password=\"x\";",
                "sasl.client.callback.handler.class",
                Anna.class.getName()));
    }

    /** Logs in as anna with the current password. */
    public static final class Anna implements AuthenticateCallbackHandler {

        private static volatile String password = "right";

        @Override
        public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
            // Nothing to configure.
        }

        @Override
        public void handle(Callback[] callbacks) {
            for (Callback callback : callbacks) {
                if (callback instanceof NameCallback name) {
                    name.setName("anna");
                } else if (callback instanceof PasswordCallback secret) {
                    secret.setPassword(password.toCharArray());
                }
            }
        }

        @Override
        public void close() {
            // Nothing to close.
        }
    }

    private void allow(AclOperation what) {
        KafkaBench.get(bench.admin
                .createAcls(List.of(new AclBinding(
                        new ResourcePattern(ResourceType.TOPIC, bench.topic, PatternType.LITERAL),
                        new AccessControlEntry("User:anna", "*", what, AclPermissionType.ALLOW))))
                .all());
    }

    @Test
    void publishesAfterCredentialsAreFixed() throws InterruptedException {
        allow(AclOperation.WRITE);
        Anna.password = "wrong";
        publisher = guarded();
        try (Overheard log = new Overheard()) {
            long began = System.nanoTime();
            List<PublishResult> results = publish("a");
            assertThat(results).hasSize(20).allMatch(Failed.class::isInstance);
            assertThat(causeOf(results.get(0))).isInstanceOf(SaslAuthenticationException.class);
            assertThat(since(began)).isLessThan(Duration.ofSeconds(12));
            assertThat(publish("a")).allMatch(Failed.class::isInstance);
            assertThat(log.text()).containsOnlyOnce("fix the credentials or ACLs");
        }
        Anna.password = "right";
        comesThrough("a");
    }

    @Test
    @Tag("slow")
    void publishesAfterWriteAccessIsGranted() throws InterruptedException {
        publisher = guarded();
        List<PublishResult> hidden = publish("a");
        assertThat(hidden).hasSize(20).allMatch(Failed.class::isInstance);
        assertThat(causeOf(hidden.get(0))).isInstanceOf(TopicAuthorizationException.class);

        // It may describe the topic, but is refused the producer id that an idempotent producer needs.
        allow(AclOperation.DESCRIBE);
        KafkaBench.await("refusal", () -> {
            try {
                List<PublishResult> refused = publish("a");
                assertThat(refused).hasSize(20).allMatch(Failed.class::isInstance);
                return chain(causeOf(refused.get(0))).anyMatch(ClusterAuthorizationException.class::isInstance);
            } catch (InterruptedException stopped) {
                throw new AssertionError(stopped);
            }
        });
        allow(AclOperation.WRITE);
        comesThrough("a");
    }

    private static Stream<Throwable> chain(Throwable error) {
        return Stream.iterate(error, cause -> cause != null, Throwable::getCause);
    }

    /** A thread that publishes and waits for a broker that is down. */
    private final class Waiting {

        private final FutureTask<List<PublishResult>> task = new FutureTask<>(() -> publish("late"));
        private final Thread thread = new Thread(task, "publishing");

        Waiting() {
            thread.setDaemon(true);
            thread.start();
            KafkaBench.await("a waiting publisher", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }
    }

    @Test
    void closeEndsPublishingInProgress() throws Exception {
        publisher = publisher(Map.of("delivery.timeout.ms", "120000"));
        allConfirmed(publish("a"));
        server.kill();
        Waiting waiting = new Waiting();
        long began = System.nanoTime();
        publisher.close();
        assertThat(since(began)).isLessThan(Duration.ofSeconds(20));
        assertThat(waiting.task.get(10, TimeUnit.SECONDS)).hasSize(20).allMatch(Failed.class::isInstance);
        assertThatThrownBy(() -> publish("b")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag("slow")
    void interruptEndsPublishing() throws InterruptedException {
        publisher = publisher(Map.of("delivery.timeout.ms", "120000", "max.block.ms", "60000"));
        allConfirmed(publish("a"));
        server.kill();
        Waiting waiting = new Waiting();
        waiting.thread.interrupt();
        assertThatThrownBy(() -> waiting.task.get(10, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedException.class);

        KafkaPublisher other = publisher(Map.of("max.block.ms", "60000"));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> other.publish(bench.topic, messages("b", 1))).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        other.close();
    }
}
