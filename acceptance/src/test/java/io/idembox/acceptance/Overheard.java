// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** What is said in the log meanwhile; it goes on to where it would have gone. */
public final class Overheard implements AutoCloseable {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream heard = new ByteArrayOutputStream();

    public Overheard() {
        OutputStream both = new OutputStream() {
            @Override
            public void write(int b) {
                heard.write(b);
                before.write(b);
            }

            @Override
            public void write(byte[] bytes, int from, int count) {
                heard.write(bytes, from, count);
                before.write(bytes, from, count);
            }
        };
        System.setErr(new PrintStream(both, true, StandardCharsets.UTF_8));
    }

    public String text() {
        return heard.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
