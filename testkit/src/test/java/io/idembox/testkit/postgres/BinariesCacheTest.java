// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.compressors.xz.XZCompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BinariesCacheTest {

    @TempDir
    Path temporary;

    @Test
    void keepsPermissionsAndSymbolicLinks() throws IOException {
        Path home = cache().unpacked(archive("bin/postgres")).home();

        assertThat(home.getParent()).isEqualTo(cache().root());
        assertThat(home.resolve("bin/postgres")).hasContent("program");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("bin/postgres"))))
                .isEqualTo("rwxr-xr-x");
        assertThat(Files.readSymbolicLink(home.resolve("lib/libpq.so"))).isEqualTo(Path.of("libpq.so.5"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("lib/libpq.so.5"))))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void unpacksOnceForTheSameContent() throws IOException {
        Path first = cache().unpacked(archive("bin/postgres")).home();
        Object before = Files.readAttributes(first, "unix:ino").get("ino");

        Path second = cache().unpacked(archive("bin/postgres")).home();

        assertThat(second).isEqualTo(first);
        assertThat(Files.readAttributes(second, "unix:ino").get("ino")).isEqualTo(before);
    }

    @Test
    void unpacksAgainWhenAFileIsMissing() throws IOException {
        Path home = cache().unpacked(archive("bin/postgres")).home();
        Files.delete(home.resolve("lib/libpq.so.5"));

        cache().unpacked(archive("bin/postgres"));

        assertThat(home.resolve("lib/libpq.so.5")).hasContent("library");
        assertThat(cachedDirectories()).isEqualTo(1);
    }

    @Test
    void leavesOneCopyWhenTwoUnpackAtOnce() throws Exception {
        BinariesCache.Archive archive = archive("bin/postgres");
        var bothHashed = new CyclicBarrier(2);
        BinariesCache.Archive slow = () -> {
            byte[] bytes = archive.open().readAllBytes();
            return new ByteArrayInputStream(bytes) {
                @Override
                public void close() {
                    meet(bothHashed); // once after hashing, once after unpacking
                }
            };
        };
        var threads = Executors.newFixedThreadPool(2);
        try {
            Callable<Binaries> unpack = () -> cache().unpacked(slow);
            var first = threads.submit(unpack);
            var second = threads.submit(unpack);

            assertThat(first.get()).isEqualTo(second.get());
        } finally {
            threads.shutdownNow();
        }
        assertThat(cachedDirectories()).isEqualTo(1);
    }

    @Test
    void refusesAnArchiveWithAPathOutside() throws IOException {
        BinariesCache.Archive evil = archive("../../evil");

        assertThatThrownBy(() -> cache().unpacked(evil))
                .isInstanceOf(PostgresServerException.class)
                .hasMessageContaining("contains a path outside of itself");
        assertThat(cachedDirectories()).isZero();
    }

    private BinariesCache cache() {
        return new BinariesCache(temporary.resolve("cache"));
    }

    private long cachedDirectories() throws IOException {
        try (Stream<Path> entries = Files.list(cache().root())) {
            return entries.count();
        }
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static BinariesCache.Archive archive(String program) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var tar = new TarArchiveOutputStream(new XZCompressorOutputStream(bytes))) {
            put(tar, program, 0755, "program");
            put(tar, "lib/libpq.so.5", 0644, "library");
            var link = new TarArchiveEntry("lib/libpq.so", TarConstants.LF_SYMLINK);
            link.setLinkName("libpq.so.5");
            link.setModTime(0);
            tar.putArchiveEntry(link);
            tar.closeArchiveEntry();
        }
        return () -> new ByteArrayInputStream(bytes.toByteArray());
    }

    private static void put(TarArchiveOutputStream tar, String name, int mode, String content) throws IOException {
        byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
        var entry = new TarArchiveEntry(name);
        entry.setMode(mode);
        entry.setModTime(0); // the same content every time
        entry.setSize(bytes.length);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
