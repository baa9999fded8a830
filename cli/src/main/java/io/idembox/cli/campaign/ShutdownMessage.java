// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

/** What is said when somebody ends the process, as with Ctrl-C. Closed when there is nothing to say any more. */
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
            // It is being said.
        }
    }
}
