// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.policy.Policies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The page of all keys is made of the records and what they say about their components, and begins with a file that is tested. To write
 * it anew: {@code ./mvnw -pl core test
 * -Dtest=ConfigurationPageTest -Didembox.golden=write}.
 */
class ConfigurationPageTest {

    private static final Path CORE = Path.of(System.getProperty("basedir", ""));
    private static final Path PAGE = CORE.resolve("../docs/configuration.md");
    private static final String BEGIN = "<!-- keys: written by ConfigurationPageTest -->\n";
    private static final String END = "<!-- end of keys -->\n";
    private static final String EXAMPLE = "<!-- example: written by ConfigurationPageTest -->\n";
    private static final String END_OF_EXAMPLE = "<!-- end of example -->\n";

    @Test
    void thePageHasTheExampleAndAllKeysAsTheyAre() throws IOException {
        String keys = new ConfigurationPage(CORE.resolve("src/main/java/io/idembox/policy")).of(Policies.class);
        String example = "```yaml\n" + Files.readString(TwoConsumersTest.file()) + "```\n";
        String page = Files.readString(PAGE);
        String wanted = with(keys, BEGIN, END, with(example, EXAMPLE, END_OF_EXAMPLE, page));
        if ("write".equals(System.getProperty("idembox.golden"))) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(wanted);
    }

    /** The page with another text between two marks. */
    private static String with(String text, String begin, String end, String page) {
        return page.substring(0, page.indexOf(begin) + begin.length())
                + "\n" + text + "\n"
                + page.substring(page.indexOf(end));
    }
}
