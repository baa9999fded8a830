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
                "Dead letters that others wrote become parked messages of a consumer, under the identity they had.",
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
                "Reads a dead-letter topic of Spring Kafka or SmallRye once and leaves it as it is. Again is harmless: what is known"
                        + " stays as it is.",
                "Ends with 1 when some records could not be imported."
            },
            footer = {
                "",
                "Example:",
                "  idembox import-dlt kafka --brokers kafka:9092 --topic orders-dlt --consumer billing --policies policies.yaml"
            })
    int kafka(
            @Option(names = "--topic", required = true, paramLabel = "NAME", description = "The dead-letter topic.")
                    String topic,
            @Option(
                            names = "--consumer",
                            required = true,
                            paramLabel = "NAME",
                            description = "Who gets them; its policy has to be in the file of --policies.")
                    String consumer,
            @Option(names = "--brokers", paramLabel = "HOST:PORT", description = "Where Kafka is.") @Nullable
                    String brokers,
            @Option(
                            names = "--config",
                            paramLabel = "FILE",
                            description = "Properties of a Kafka consumer, for everything else; secrets too.")
                    @Nullable
                    Path config,
            @Option(names = "--group", paramLabel = "NAME", description = "Only those that this group gave up.")
                    @Nullable
                    String group,
            @Option(
                            names = "--retention",
                            paramLabel = "CHECK",
                            defaultValue = "REFUSE",
                            description =
                                    "What happens to records without a ledger row that are older than retention.ledger of the consumer:"
                                            + " REFUSE, WARN or OFF. Default: ${DEFAULT-VALUE}.")
                    RetentionCheck retention) {
        Map<String, Object> settings = settings(brokers, config);
        try (AdminSession adminSession = invocation.open()) {
            if (!adminSession.policies().consumers().containsKey(consumer)) {
                throw CommandException.usage("The policy of consumer " + consumer
                        + " says which id a message has: give it with --policies FILE.");
            }
            KafkaDeadLetters letters = KafkaDeadLetters.topic(settings, topic).retention(retention);
            return tell((group == null ? letters : letters.ofGroup(group)).adoptInto(adminSession.admin(), consumer));
        } catch (KafkaException away) {
            throw CommandException.away("Kafka does not answer: " + away.getMessage(), away);
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
                        "The properties in " + config + " cannot be read: " + FileErrorText.why(unreadable));
            }
            properties.stringPropertyNames().forEach(name -> settings.put(name, properties.getProperty(name)));
        }
        if (brokers != null) {
            settings.put("bootstrap.servers", brokers);
        }
        if (!settings.containsKey("bootstrap.servers")) {
            throw CommandException.usage(
                    "Say where Kafka is: --brokers HOST:PORT, or bootstrap.servers in --config FILE.");
        }
        return settings;
    }

    int tell(KafkaDeadLetters.Report report) {
        invocation
                .printer()
                .thing(Fields.of("read", report.read())
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
