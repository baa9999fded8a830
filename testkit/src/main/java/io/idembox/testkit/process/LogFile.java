// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** The log of a server: both of its output streams are written to it. */
public record LogFile(Path path) {

    private static final int TAIL_BYTES = 16 * 1024;
    private static final int TAIL_LINES = 25;

    public long size() {
        return path.toFile().length();
    }

    /** The last lines after the first {@code from} bytes of the log. */
    public List<String> tail(long from) {
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            file.seek(Math.max(from, file.length() - TAIL_BYTES));
            byte[] bytes = new byte[(int) Math.max(0, file.length() - file.getFilePointer())];
            file.readFully(bytes);
            List<String> lines =
                    new String(bytes, StandardCharsets.UTF_8).lines().toList();
            return lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
        } catch (IOException e) {
            return List.of("(log not readable: " + e.getMessage() + ")");
        }
    }

    /** A redirect that appends the output of a process to this file. */
    public ProcessBuilder.Redirect append() {
        return ProcessBuilder.Redirect.appendTo(path.toFile());
    }
}
