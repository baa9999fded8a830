// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.deadletters;

import io.idembox.cli.call.AdminSession;
import io.idembox.cli.call.CommandException;
import io.idembox.cli.call.ExitCode;
import io.idembox.cli.call.FileErrorText;
import io.idembox.cli.call.Invocation;
import io.idembox.cli.output.Fields;
import io.idembox.kafka.KafkaDeadLetters;
import io.idembox.kafka.RetentionCheck;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code idembox import-dlt}. */
@Command(
        name = "import-dlt",
        description =
                "Import dead letters of other frameworks as parked messages of a consumer, with their original ids.",
        footer = {
            "",
            "Example:",
            "  idembox import-dlt kafka --brokers kafka:9092 --topic orders-dlt --consumer billing --policies policies.yaml"
        })
public final class ImportCommand {

    private final Invocation invocation;

    ImportCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    @Command(
            name = "kafka",
            description = {
                "Import a dead-letter topic of Spring Kafka or SmallRye. The topic is read once and not changed. Repeating the"
                        + " import is safe: known messages stay as they are.",
                "Exits with 1 when records could not be imported."
            },
            footer = {
                "",
                "Example:",
                "  idembox import-dlt kafka --brokers kafka:9092 --topic orders-dlt --consumer billing --policies policies.yaml"
            })
    int kafka(
            @Option(names = "--topic", required = true, paramLabel = "NAME", description = "Dead-letter topic.")
                    String topic,
            @Option(
                            names = "--consumer",
                            required = true,
                            paramLabel = "NAME",
                            description =
                                    "Consumer that receives the messages; its policy must be in the --policies file.")
                    String consumer,
            @Option(names = "--brokers", paramLabel = "HOST:PORT", description = "Kafka bootstrap servers.") @Nullable
                    String brokers,
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            description =
                                    "Properties file for the Kafka consumer: all other settings, including secrets.")
                    @Nullable
                    Path config,
            @Option(
                            names = "--group",
                            paramLabel = "NAME",
                            description = "Import only records that this consumer group gave up on.")
                    @Nullable
                    String group,
            @Option(
                            names = "--retention",
                            paramLabel = "CHECK",
                            defaultValue = "REFUSE",
                            description =
                                    "Check for records without a ledger row that are older than the consumer's retention.ledger:"
                                            + " REFUSE, WARN or OFF. Default: ${DEFAULT-VALUE}.")
                    RetentionCheck retention) {
        Map<String, Object> settings = settings(brokers, config);
        try (AdminSession adminSession = invocation.open()) {
            if (!adminSession.policies().consumers().containsKey(consumer)) {
                throw CommandException.usage("The policy of consumer " + consumer
                        + " defines the message ids, but it is unknown. Pass the policy file with --policies FILE.");
            }
            KafkaDeadLetters letters = KafkaDeadLetters.topic(settings, topic).retention(retention);
            return report((group == null ? letters : letters.ofGroup(group)).adoptInto(adminSession.admin(), consumer));
        } catch (KafkaException away) {
            throw CommandException.unavailable("Cannot read from Kafka: " + away.getMessage(), away);
        }
    }

    private static Map<String, Object> settings(@Nullable String brokers, @Nullable Path config) {
        Map<String, Object> settings = new HashMap<>();
        if (config != null) {
            Properties properties = new Properties();
            try (Reader reader = Files.newBufferedReader(config)) {
                properties.load(reader);
            } catch (IOException | IllegalArgumentException unreadable) {
                throw CommandException.usage(
                        "The properties in " + config + " cannot be read: " + FileErrorText.reason(unreadable));
            }
            properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        }
        if (brokers != null) {
            settings.put("bootstrap.servers", brokers);
        }
        if (!settings.containsKey("bootstrap.servers")) {
            throw CommandException.usage(
                    "No Kafka brokers configured. Use --brokers HOST:PORT, or bootstrap.servers in --config FILE.");
        }
        return settings;
    }

    int report(KafkaDeadLetters.Report report) {
        invocation
                .printer()
                .printOne(Fields.of("read", report.read())
                        .and("parked", report.parked())
                        .and("known", report.known())
                        .and("conflicts", report.conflicts())
                        .and("withoutOrigin", report.withoutOrigin())
                        .and("otherGroups", report.otherGroups())
                        .and("refused", report.refused())
                        .and("words", report.words()));
        return report.refused() + report.withoutOrigin() == 0 ? ExitCode.DONE : ExitCode.REFUSED;
    }
}
