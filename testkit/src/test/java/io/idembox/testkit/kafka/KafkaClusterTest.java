// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
@Tag("slow")
class KafkaClusterTest {

    @TempDir
    private Path directory;

    @Test
    void anotherBrokerLeadsWhenTheLeaderIsKilledAndTheKilledOneComesBack() throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder()
                        .brokers(3)
                        .setting("min.insync.replicas", "2")
                        .directory(directory)
                        .start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrap()));
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", cluster.bootstrap(), "acks", "all"),
                        new StringSerializer(),
                        new StringSerializer())) {
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 3)))
                    .all()
                    .get();
            producer.send(new ProducerRecord<>("orders", "k", "before")).get();
            int leader = leader(admin);

            cluster.broker(leader).kill();

            assertThat(producer.send(new ProducerRecord<>("orders", "k", "after"))
                            .get()
                            .offset())
                    .isEqualTo(1);
            assertThat(leader(admin)).isNotEqualTo(leader);
            cluster.broker(leader).restart();
            assertThat(cluster.broker(leader).isRunning()).isTrue();
        }
        assertThat(directory).isEmptyDirectory();
    }

    private static int leader(Admin admin) throws Exception {
        Map<String, TopicDescription> topics =
                admin.describeTopics(List.of("orders")).allTopicNames().get();
        return Objects.requireNonNull(topics.get("orders"))
                .partitions()
                .get(0)
                .leader()
                .id();
    }
}
