// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.process;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** What a server says: both of its output streams go there. */
public record LogFile(Path path) {

    private static final int TAIL_BYTES = 16 * 1024;
    private static final int TAIL_LINES = 25;

    public long size() {
        return path.toFile().length();
    }

    /** The last lines, but none that were there when the log was {@code from} bytes long. */
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

    /** For a process to write into, behind what is there. */
    public ProcessBuilder.Redirect append() {
        return ProcessBuilder.Redirect.appendTo(path.toFile());
    }
}
