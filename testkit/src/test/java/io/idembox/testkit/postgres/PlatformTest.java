// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PlatformTest {

    @Test
    void knowsTheArchiveAndTheArtifactOfEachMachine() {
        assertThat(Platform.of("Linux", "amd64", false))
                .isEqualTo(new Platform("postgres-linux-x86_64.txz", "linux-amd64"));
        assertThat(Platform.of("Linux", "aarch64", false))
                .isEqualTo(new Platform("postgres-linux-arm_64.txz", "linux-arm64v8"));
        assertThat(Platform.of("Linux", "amd64", true))
                .isEqualTo(new Platform("postgres-linux-x86_64-alpine_linux.txz", "linux-amd64-alpine"));
        assertThat(Platform.of("Mac OS X", "aarch64", false))
                .isEqualTo(new Platform("postgres-darwin-arm_64.txz", "darwin-arm64v8"));
    }

    @Test
    void reportsUnsupportedPlatforms() {
        assertThatThrownBy(() -> Platform.of("Windows 11", "amd64", false))
                .isInstanceOf(PostgresServerException.class)
                .hasMessageContaining("Windows 11/amd64")
                .hasMessageContaining("WSL");
        assertThatThrownBy(() -> Platform.of("Linux", "s390x", false)).hasMessageContaining("Linux/s390x");
    }
}
