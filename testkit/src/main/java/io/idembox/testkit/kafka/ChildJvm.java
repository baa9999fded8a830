// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.kafka;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs one of Kafka's programs in a separate JVM.
 *
 * @param classPath contains Kafka
 */
record ChildJvm(String classPath) {

    private static final String BROKER = "kafka.Kafka";
    private static final String STORAGE_TOOL = "kafka.tools.StorageTool";

    // A broker with a few topics: it must start quickly and leave the machine to the tests. Its log goes to standard
    // output, which is redirected to its log file.
    private static final List<String> OPTIONS = List.of(
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
            "-Dorg.slf4j.simpleLogger.showDateTime=true",
            "-Dorg.slf4j.simpleLogger.logFile=System.out");

    /** Uses the class path of this JVM, which must contain Kafka. */
    static ChildJvm withCurrentClassPath() {
        require(ClassLoader.getSystemClassLoader());
        return new ChildJvm(System.getProperty("java.class.path"));
    }

    static void require(ClassLoader loader) {
        if (loader.getResource(BROKER.replace('.', '/') + ".class") == null) {
            throw new KafkaServerException(
                    "No Kafka broker on the class path (%s not found). Add org.apache.kafka:kafka_2.13 to the test dependencies; the test kit does not include it, because it is large."
                            .formatted(BROKER));
        }
    }

    List<String> broker(Path properties) {
        return java(BROKER, List.of(properties.toString()));
    }

    List<String> format(Path properties, String clusterId) {
        return java(STORAGE_TOOL, List.of("format", "-t", clusterId, "-c", properties.toString()));
    }

    private List<String> java(String main, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(OPTIONS);
        command.addAll(List.of("-cp", classPath, main));
        command.addAll(arguments);
        return command;
    }
}
