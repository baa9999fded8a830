// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class UnreadableTest {

    @Test
    void whyAFileCannotBeReadIsSaidInWords() {
        assertThat(Unreadable.why(new NoSuchFileException("x"))).isEqualTo("there is no such file.");
        assertThat(Unreadable.why(new AccessDeniedException("x"))).isEqualTo("this user may not read it.");
        assertThat(Unreadable.why(new IOException("disk"))).contains("disk");
    }
}
