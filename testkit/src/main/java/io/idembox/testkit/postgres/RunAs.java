// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs PostgreSQL as another user than root, because it refuses to run as root.
 *
 * @param prefix the words before a command; such a program replaces itself by the command, so that the started
 *     process is PostgreSQL and not its parent
 * @param uid the user that must own the files
 */
record RunAs(List<String> prefix, int uid) {

    private static final int ROOT = 0;
    private static final int NOBODY = 65534;

    /** In a new user namespace the process does not see itself as root, but it is still root to the file system. */
    static final RunAs UNSHARED = new RunAs(List.of("unshare", "-U"), ROOT);

    static final RunAs SETPRIV =
            new RunAs(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"), NOBODY);

    RunAs {
        prefix = List.copyOf(prefix);
    }

    static RunAs detect(Path postgres) {
        int uid = currentUid();
        return uid == ROOT ? firstThatWorks(postgres, List.of(UNSHARED, SETPRIV)) : new RunAs(List.of(), uid);
    }

    static RunAs firstThatWorks(Path postgres, List<RunAs> candidates) {
        List<String> findings = new ArrayList<>();
        for (RunAs candidate : candidates) {
            List<String> probe = candidate.command(List.of(postgres.toString(), "--version"));
            Processes.Result result = Processes.run(probe, Duration.ofSeconds(30));
            if (result.succeeded()) {
                return candidate;
            }
            findings.add(String.join(" ", probe) + ": " + result.output());
        }
        throw new PostgresServerException(
                "This JVM runs as root, which PostgreSQL refuses, and neither way to run it as another user works here. Run the build as a normal user (in a container: --user), allow user namespaces, or install util-linux (setpriv).",
                findings);
    }

    List<String> command(List<String> command) {
        return Stream.concat(prefix.stream(), command.stream()).toList();
    }

    /** Hands the tree over to the user that the server runs as. Does nothing if that user owns it already. */
    void own(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (ownerOf(file) != uid) {
                    Files.setAttribute(file, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
    }

    static int ownerOf(Path file) throws IOException {
        return (Integer) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** The uid, read from a new file's owner: Java has no call for it, and a user's name proves nothing. */
    static int currentUid() {
        try {
            Path file = Files.createTempFile("idembox-", ".uid");
            try {
                return ownerOf(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new PostgresServerException(
                    "No file could be created in %s. Set -Djava.io.tmpdir to a writable directory."
                            .formatted(System.getProperty("java.io.tmpdir")),
                    e);
        }
    }
}
