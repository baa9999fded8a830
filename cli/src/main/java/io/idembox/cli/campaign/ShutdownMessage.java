// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

/** Prints a message when the process is ended, such as with Ctrl-C. Closing it cancels the message. */
final class ShutdownMessage implements AutoCloseable {

    private final Thread hook;

    private ShutdownMessage(Thread hook) {
        this.hook = hook;
    }

    static ShutdownMessage of(Runnable words) {
        Thread hook = new Thread(words, "idembox-farewell");
        Runtime.getRuntime().addShutdownHook(hook);
        return new ShutdownMessage(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The JVM is shutting down and the message is being printed.
        }
    }
}
