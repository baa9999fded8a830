// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the command was told.
 *
 * @param kills how many kill -9 there have to be
 * @param pauses how many processes have to stand still for longer than their leases
 * @param unfenced whether the consumers run without the fence, to see that the checks would notice
 */
record Options(int messages, int keys, int processes, int kills, int pauses, long seed, boolean unfenced) {

    static final String USAGE =
            "cluster [--messages n] [--keys n] [--processes n] [--kills n] [--pauses n] [--seed n] [--broken fence]";

    Options {
        check(processes >= 2, "--processes must be at least 2: somebody has to take over");
        check(keys >= 10 && keys <= messages / 2, "--keys must be between 10 and half the messages");
        check(kills >= 0 && pauses >= 0, "--kills and --pauses must not be negative");
        check(kills + pauses <= messages / 20, "there must be 20 messages for every kill and pause");
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }

    /** @throws IllegalArgumentException when it does not understand, with words for people */
    static Options parse(List<String> args) {
        Map<String, String> given = new HashMap<>(Map.of(
                "--messages", "100000",
                "--keys", "2000",
                "--processes", "4",
                "--kills", "100",
                "--pauses", "20",
                "--seed", "1",
                "--broken", ""));
        Deque<String> words = new ArrayDeque<>();
        for (String arg : args) {
            words.addAll(List.of(arg.split("=", 2)));
        }
        while (!words.isEmpty()) {
            String name = words.pop();
            check(given.containsKey(name), "unknown option " + name);
            check(!words.isEmpty(), name + " needs a value");
            given.put(name, words.pop());
        }
        String broken = given.get("--broken");
        check(broken.isEmpty() || broken.equals("fence"), "--broken knows: fence");
        return new Options(
                number(given, "--messages"),
                number(given, "--keys"),
                number(given, "--processes"),
                number(given, "--kills"),
                number(given, "--pauses"),
                number(given, "--seed"),
                !broken.isEmpty());
    }

    private static int number(Map<String, String> given, String name) {
        try {
            return Integer.parseInt(given.get(name));
        } catch (NumberFormatException wrong) {
            throw new IllegalArgumentException(name + " needs a number, was " + given.get(name), wrong);
        }
    }
}
