// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.campaign;

/** What is said when somebody ends the process, as with Ctrl-C. Closed when there is nothing to say any more. */
final class Farewell implements AutoCloseable {

    private final Thread hook;

    private Farewell(Thread hook) {
        this.hook = hook;
    }

    static Farewell of(Runnable words) {
        Thread hook = new Thread(words, "idembox-farewell");
        Runtime.getRuntime().addShutdownHook(hook);
        return new Farewell(hook);
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
