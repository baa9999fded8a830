// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.MalformedURLException;
import java.net.URL;
import java.util.List;
import org.junit.jupiter.api.Test;

class BinariesTest {

    @Test
    void takesTheNewestVersionByNumberNotByText() throws MalformedURLException {
        URL v9 = archiveOf("binaries-linux-amd64-9.6.24.jar");
        URL v15 = archiveOf("binaries-linux-amd64-15.19.0.jar");
        URL v15Old = archiveOf("binaries-linux-amd64-15.2.0.jar");

        assertThat(Binaries.newest(List.of(v9, v15, v15Old))).contains(v15);
    }

    @Test
    void takesAnArchiveOfUnknownVersionIfThereIsNoOther() throws MalformedURLException {
        URL unknown = archiveOf("postgres.jar");
        URL known = archiveOf("binaries-linux-amd64-15.2.0.jar");

        assertThat(Binaries.newest(List.of(unknown))).contains(unknown);
        assertThat(Binaries.newest(List.of(unknown, known))).contains(known);
        assertThat(Binaries.newest(List.of())).isEmpty();
    }

    private static URL archiveOf(String jar) throws MalformedURLException {
        return new URL("jar:file:/repository/" + jar + "!/postgres-linux-x86_64.txz");
    }
}
