// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class FileErrorTextTest {

    @Test
    void whyAFileCannotBeReadIsSaidInWords() {
        assertThat(FileErrorText.why(new NoSuchFileException("x"))).isEqualTo("no such file.");
        assertThat(FileErrorText.why(new AccessDeniedException("x"))).isEqualTo("permission denied.");
        assertThat(FileErrorText.why(new IOException("disk"))).contains("disk");
    }
}
