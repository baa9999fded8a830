// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads which keys {@code docs/configuration.md} promises. */
final class PageOfKeys {

    private static final Path PAGE = Path.of(System.getProperty("basedir", "")).resolve("../docs/configuration.md");
    private static final Pattern SECTION = Pattern.compile("## `([a-z]+)`");
    private static final Pattern ROW = Pattern.compile("\\| `([^`]+)` \\| ([^|]*) \\|.*");

    private PageOfKeys() {}

    /**
     * A key that has a value.
     *
     * @param name with everything above it, below the name of the consumer or destination
     */
    record Key(String section, String name) {

        @Override
        public String toString() {
            return section + " " + name;
        }
    }

    static List<Key> keys() throws IOException {
        List<Key> keys = new ArrayList<>();
        String section = "";
        for (String line : Files.readAllLines(PAGE)) {
            Matcher heading = SECTION.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
            } else if (row.matches() && !section.isEmpty() && !row.group(2).equals("section")) {
                keys.add(new Key(section, row.group(1)));
            }
        }
        return keys;
    }
}
