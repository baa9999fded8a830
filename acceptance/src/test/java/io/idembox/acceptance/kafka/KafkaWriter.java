// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.kafka;

import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.acceptance.ForkedJvm;
import io.idembox.kafka.KafkaPublisher;
import io.idembox.spi.PublishResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.AppInfoParser;

/** A process that publishes to a topic with the Kafka client on its class path and prints the results. */
final class KafkaWriter {

    private KafkaWriter() {}

    /** Arguments: the broker, the topic, a topic that does not exist. */
    public static void main(String[] args) throws InterruptedException {
        ForkedJvm.endWithParent();
        System.out.println("kafka-clients " + AppInfoParser.getVersion());
        List<Message> some = new ArrayList<>(Published.messages("m", 20));
        some.add(
                10,
                Message.of("large", "Paid", Payload.of(new byte[2_000_000], Payload.BINARY))
                        .keyed("large"));
        try (KafkaPublisher publisher =
                KafkaPublisher.on(Map.of("bootstrap.servers", args[0], "max.block.ms", "10000"))) {
            say(publisher.publish(args[1], some));
            say(publisher.publish(args[2], Published.messages("lost", 2)));
            say(publisher.publish(args[1], Published.messages("n", 2)));
        }
        System.out.println("closed");
    }

    private static void say(List<PublishResult> results) {
        System.out.println(String.join(" ", Published.kinds(results)));
    }
}
