// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A key of the page, what may be said for it, and what is seen then. The files of one case differ in this key alone.
 *
 * @param page where the key is on the page: its section, and the key as it is written there
 * @param path where it is in the file
 * @param besides what is said in every file of the case, by path
 * @param outcomes what is seen, by what is said for the key
 */
record KeyCase(
        PageOfKeys.Key page,
        String path,
        Map<String, String> besides,
        Map<String, String> outcomes,
        Scenario scenario) {

    /** Does something with an inbox that has the policies of the file, and tells in a few words what came of it. */
    @FunctionalInterface
    interface Scenario {

        String seenOn(PolicyBench bench) throws Exception;
    }

    static Draft consumer(String key) {
        return new Draft(new PageOfKeys.Key("consumers", key), "consumers." + PolicyBench.CONSUMER, key);
    }

    static Draft intent(String key) {
        String path = "consumers." + PolicyBench.CONSUMER + ".intents." + PolicyBench.INTENT;
        return new Draft(new PageOfKeys.Key("consumers", "intents.<name>." + key), path, key);
    }

    static Draft outbox(String key) {
        return new Draft(new PageOfKeys.Key("outbox", key), "outbox." + PolicyBench.DESTINATION, key);
    }

    static Draft audit(String key) {
        return new Draft(new PageOfKeys.Key("audit", key), "audit", key);
    }

    /** What is seen with this value. */
    String seenWith(String value) throws Exception {
        try (PolicyBench bench = new PolicyBench(fileWith(value))) {
            return scenario.seenOn(bench);
        }
    }

    String fileWith(String value) {
        Map<String, Object> file = new LinkedHashMap<>();
        besides.forEach((where, said) -> put(file, where, said));
        put(file, path, value);
        StringBuilder yaml = new StringBuilder();
        write(yaml, "", file);
        return yaml.toString();
    }

    @SuppressWarnings("unchecked") // whatever is above a path was put there as a section
    private static void put(Map<String, Object> section, String path, String value) {
        int dot = path.indexOf('.');
        if (dot < 0) {
            section.put(path, value);
            return;
        }
        Object below = section.computeIfAbsent(path.substring(0, dot), first -> new LinkedHashMap<>());
        put((Map<String, Object>) below, path.substring(dot + 1), value);
    }

    private static void write(StringBuilder yaml, String indent, Map<?, ?> section) {
        section.forEach((key, value) -> {
            yaml.append(indent).append(key).append(':');
            if (value instanceof Map<?, ?> below) {
                yaml.append('\n');
                write(yaml, indent + "  ", below);
            } else {
                yaml.append(' ').append(value).append('\n');
            }
        });
    }

    @Override
    public String toString() {
        return page.toString();
    }

    /** A case that is being told. */
    static final class Draft {

        private final PageOfKeys.Key page;
        private final String owner;
        private final String key;
        private final Map<String, String> besides = new LinkedHashMap<>();
        private final Map<String, String> outcomes = new LinkedHashMap<>();

        private Draft(PageOfKeys.Key page, String owner, String key) {
            this.page = page;
            this.owner = owner;
            this.key = key;
        }

        /** Another key of the same consumer, intent or destination, which lets the effect be seen. */
        Draft besides(String otherKey, String value) {
            return elsewhere(owner + "." + otherKey, value);
        }

        /** Anything else in the file. */
        Draft elsewhere(String path, String value) {
            besides.put(path, value);
            return this;
        }

        Draft said(String value, String outcome) {
            outcomes.put(value, outcome);
            return this;
        }

        KeyCase when(Scenario scenario) {
            return new KeyCase(page, owner + "." + key, besides, outcomes, scenario);
        }
    }
}
