// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class FileErrorTextTest {

    @Test
    void fileErrorsAreDescribed() {
        assertThat(FileErrorText.reason(new NoSuchFileException("x"))).isEqualTo("no such file.");
        assertThat(FileErrorText.reason(new AccessDeniedException("x"))).isEqualTo("permission denied.");
        assertThat(FileErrorText.reason(new IOException("disk"))).contains("disk");
    }
}
