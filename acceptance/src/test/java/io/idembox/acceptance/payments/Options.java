// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import static io.idembox.acceptance.programme.Given.check;

import io.idembox.acceptance.programme.Given;
import io.idembox.acceptance.programme.Strikes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What the command was told.
 *
 * @param payments how many there are in each scenario
 * @param kills how many kill -9 there have to be in each
 * @param freezes how many processes have to stand still for longer than their leases in each, where that may be
 * @param manner how the senders go about it
 */
record Options(
        List<Scenario> scenarios, int payments, int processes, int kills, int freezes, long seed, Manner manner) {

    static final String USAGE = """
            payments [--scenario name] [--payments n] [--processes n] [--kills n] [--freezes n] [--seed n] [--broken name]
              --scenario  %s; all of them, one after another, unless told
              --payments  in each scenario; kills and freezes as well
              --seed      the same seed makes the same trouble for the same payments, and picks the same victims
              --broken    %s: senders as they must not be, in the scenario in which that does
                          harm. Ends with 0 when that was caught, that is, when doubled charges were found""".formatted(
                    words(Scenario.values(), ", "),
                    words(Arrays.copyOfRange(Manner.values(), 1, Manner.values().length), ", "));

    Options {
        check(processes >= 3 && processes <= 16, "--processes must be between 3 and 16");
        check(kills >= 0 && freezes >= 0, "--kills and --freezes must not be negative");
        check(payments >= 50 && payments <= 100_000, "--payments must be between 50 and 100000");
        check(kills + freezes <= payments / 20, "there must be 20 payments for every kill and freeze");
    }

    /** @throws IllegalArgumentException when it does not understand, with words for people */
    static Options parse(List<String> args) {
        Given given = Given.of(
                args,
                Map.of(
                        "--scenario", "",
                        "--payments", "3000",
                        "--processes", "3",
                        "--kills", "20",
                        "--freezes", "4",
                        "--seed", "1",
                        "--broken", ""));
        Map<String, Manner> broken = byWord(Manner.values());
        broken.remove(Manner.SOUND.toString());
        Manner manner = given.oneOf("--broken", broken).orElse(Manner.SOUND);
        List<Scenario> usual = manner == Manner.SOUND ? List.of(Scenario.values()) : List.of(manner.harmful());
        return new Options(
                given.oneOf("--scenario", byWord(Scenario.values()))
                        .map(List::of)
                        .orElse(usual),
                (int) given.whole("--payments"),
                (int) given.whole("--processes"),
                (int) given.whole("--kills"),
                (int) given.whole("--freezes"),
                given.whole("--seed"),
                manner);
    }

    private static <T> Map<String, T> byWord(T[] values) {
        return Arrays.stream(values)
                .collect(Collectors.toMap(Object::toString, Function.identity(), (one, other) -> one, TreeMap::new));
    }

    private static String words(Object[] values, String between) {
        return Arrays.stream(values).map(Object::toString).collect(Collectors.joining(between));
    }

    int freezesIn(Scenario scenario) {
        return scenario.mayFreeze() ? freezes : 0;
    }

    Strikes.Wanted strikesIn(Scenario scenario) {
        return new Strikes.Wanted(payments, kills, freezesIn(scenario), PaymentWorker.LEASE, seed);
    }
}
