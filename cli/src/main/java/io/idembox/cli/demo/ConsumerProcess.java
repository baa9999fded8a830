// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

/**
 * One consumer in a separate process, so that it can be killed and frozen for real. It ends on SIGTERM; the process
 * that started it ensures that it does not outlive the demo.
 */
final class ConsumerProcess {

    private ConsumerProcess() {}

    /** Arguments: the role, the two databases and the broker. */
    public static void main(String[] args) throws InterruptedException {
        Role role = Role.valueOf(args[0]);
        DemoAddresses addresses = new DemoAddresses(args[1], args[2], args[3]);
        Reporter reporter = new Reporter(role.consumer());
        AutoCloseable consumer = role.isIdembox()
                ? IdemboxConsumer.start(role, addresses, reporter)
                : NaiveConsumer.start(addresses, reporter);
        reporter.start(); // the first line reports that it is ready
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(consumer), "ends"));
        Thread.currentThread().join();
    }

    private static void close(AutoCloseable consumer) {
        try {
            consumer.close();
        } catch (Exception failed) {
            System.err.println("The consumer failed while closing: " + failed);
        }
    }
}
