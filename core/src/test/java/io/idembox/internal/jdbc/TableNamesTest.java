// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableNamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"idembox_", "a", "z9_", "a_b_c", "abcdefghijklmnopqrstuvwxyz01234"})
    void plainPrefixesAreTaken(String prefix) {
        assertThatCode(() -> TableNames.checkPrefix(prefix)).doesNotThrowAnyException();
        assertThat(new TableNames("app", prefix).prefix()).isEqualTo(prefix);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "_a",
                "1a",
                "A",
                "aB",
                "a-b",
                "a b",
                "a.b",
                "a\"",
                "a'",
                "a;",
                "a{",
                "é",
                "a\n",
                "\na",
                "a\0",
                "abcdefghijklmnopqrstuvwxyz012345"
            })
    void otherPrefixesAreRefused(String prefix) {
        assertThatThrownBy(() -> TableNames.checkPrefix(prefix))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageStartingWith("table-prefix ")
                .hasMessageEndingWith("'" + prefix + "'");
        assertThatThrownBy(() -> new TableNames("app", prefix)).isInstanceOf(InboxConfigurationException.class);
    }

    @Test
    void everyTableIsNamedWithItsSchema() {
        assertThat(new TableNames("app", "in_").in("select a from {prefix}entry join {prefix}body"))
                .isEqualTo("select a from \"app\".in_entry join \"app\".in_body");
    }

    @Test
    void theSchemaMayHaveAnyName() {
        assertThat(new TableNames("My \"$1\\ schema", "in_").in("{prefix}x")).isEqualTo("\"My \"\"$1\\ schema\".in_x");
    }
}
