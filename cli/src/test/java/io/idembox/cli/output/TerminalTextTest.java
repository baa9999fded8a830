// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Terminal control characters are escaped. */
class TerminalTextTest {

    @ParameterizedTest
    @ValueSource(
            ints = {0x00, 0x07, 0x08, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x200b, 0x202e, 0x2028, 0x2066, 0xfeff})
    void controlAndFormatCharactersAreEscaped(int character) {
        String shown = TerminalText.of("a" + Character.toString(character) + "b");

        assertThat(shown).isEqualTo("a\\u%04xb".formatted(character));
    }

    @Test
    void loneSurrogatesAndTagsAreEscaped() {
        assertThat(TerminalText.of("\ud800x")).isEqualTo("\\ud800x");
        assertThat(TerminalText.of(Character.toString(0xe0041))).isEqualTo("\\udb40\\udc41");
    }

    @Test
    void ordinaryTextIsUnchanged() {
        assertThat(TerminalText.of("Überweisung 注文 😀 C:\\dir")).isEqualTo("Überweisung 注文 😀 C:\\dir");
    }
}
