// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * A cache of unpacked PostgreSQL archives, one directory per content hash, shared by all JVMs of one user.
 *
 * <p>An archive is unpacked into a sibling directory and then renamed, so a directory under its final name was complete
 * when it appeared. Two JVMs may unpack at the same time: the first rename wins, the other copy is deleted.
 *
 * @param root a directory that outlives the JVM, in the temporary directory
 */
record BinariesCache(Path root) {

    @FunctionalInterface
    interface Archive {
        InputStream open() throws IOException;
    }

    /** A file with the number of files: cleaners of temporary directories remove unused files one by one. */
    private static final String MARKER = ".complete";

    // Readable by all: as root, the server may have to run as another user.
    private static final Set<PosixFilePermission> OPEN_DIRECTORY = PosixFilePermissions.fromString("rwxr-xr-x");

    static BinariesCache forThisUser() {
        String user = System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9._-]", "_");
        return new BinariesCache(Path.of(System.getProperty("java.io.tmpdir"), "idembox-postgres-" + user)
                .toAbsolutePath());
    }

    Binaries unpacked(Archive archive) {
        try {
            createRoot();
            Path home = root.resolve(hash(archive));
            if (!isComplete(home)) {
                discard(home);
                unpack(archive, home);
            }
            return new Binaries(home);
        } catch (IOException e) {
            throw new PostgresServerException(
                    "PostgreSQL could not be unpacked into %s: %s. If the disk is full or the directory not writable, set -Djava.io.tmpdir to another one."
                            .formatted(root, e.getMessage()),
                    e);
        }
    }

    /**
     * Creates the root and checks its owner: its name is easy to guess, so another user could have put programs there.
     */
    private void createRoot() throws IOException {
        Files.createDirectories(root);
        boolean ours = !Files.isSymbolicLink(root) && RunAs.ownerOf(root) == RunAs.currentUid();
        if (!ours) {
            throw new FileSystemException(root.toString(), null, "belongs to another user");
        }
        Files.setPosixFilePermissions(root, OPEN_DIRECTORY);
    }

    private static String hash(Archive archive) throws IOException {
        MessageDigest sha256;
        try {
            sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
        byte[] buffer = new byte[1 << 16];
        try (var in = new DigestInputStream(archive.open(), sha256)) {
            while (in.read(buffer) >= 0) {
                // reads the file for its digest only
            }
        }
        return HexFormat.of().formatHex(sha256.digest()).substring(0, 16);
    }

    private static boolean isComplete(Path home) throws IOException {
        Path marker = home.resolve(MARKER);
        return Files.isRegularFile(marker) && Files.readString(marker).equals(count(home));
    }

    private static String count(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return Long.toString(files.filter(file -> !file.endsWith(MARKER)).count());
        }
    }

    private void discard(Path home) throws IOException {
        if (Files.exists(home)) {
            Path aside = createSibling(home);
            try {
                Files.move(home, aside, StandardCopyOption.ATOMIC_MOVE);
                DataDirectory.deleteTree(aside);
            } catch (NoSuchFileException e) {
                // Race: another JVM discarded it first.
            }
        }
    }

    private void unpack(Archive archive, Path home) throws IOException {
        Path aside = Files.createDirectory(createSibling(home));
        try {
            try (InputStream in = archive.open()) {
                untar(in, aside);
            }
            Files.writeString(aside.resolve(MARKER), count(aside));
            // Crash here: the incomplete sibling stays behind unused, the next JVM unpacks again.
            Files.move(aside, home, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            // Race: another JVM renamed its copy first. A directory that is not empty cannot be renamed over.
            if (!isComplete(home)) {
                throw e;
            }
        } finally {
            DataDirectory.deleteTree(aside);
        }
    }

    private static Path createSibling(Path home) {
        return home.resolveSibling(home.getFileName() + "-" + UUID.randomUUID());
    }

    private static void untar(InputStream in, Path target) throws IOException {
        Files.setPosixFilePermissions(target, OPEN_DIRECTORY);
        try (var tar = new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(in, 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = target.resolve(entry.getName()).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("the archive contains a path outside of itself: " + entry.getName());
                }
                Path inside = target.relativize(path);
                createDirectories(target, inside, inside.getNameCount() - (entry.isDirectory() ? 0 : 1));
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else if (entry.isFile()) {
                    Files.copy(tar, path);
                    Files.setPosixFilePermissions(path, permissions(entry.getMode()));
                } else if (!entry.isDirectory()) {
                    throw new IOException("the archive contains an unexpected entry: " + entry.getName());
                }
            }
        }
    }

    private static void createDirectories(Path target, Path inside, int depth) throws IOException {
        Path directory = target;
        for (int i = 0; i < depth; i++) {
            directory = directory.resolve(inside.getName(i));
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(directory);
                Files.setPosixFilePermissions(directory, OPEN_DIRECTORY);
            }
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        PosixFilePermission[] fromHighBit = PosixFilePermission.values();
        Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (int bit = 0; bit < fromHighBit.length; bit++) {
            if ((mode & (0400 >> bit)) != 0) {
                permissions.add(fromHighBit[bit]);
            }
        }
        return permissions;
    }
}
