// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import static io.idembox.acceptance.programme.Given.check;

import io.idembox.acceptance.programme.Given;
import io.idembox.acceptance.programme.Strikes;
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

    /** @throws IllegalArgumentException when it does not understand, with words for people */
    static Options parse(List<String> args) {
        Given given = Given.of(
                args,
                Map.of(
                        "--messages", "100000",
                        "--keys", "2000",
                        "--processes", "4",
                        "--kills", "100",
                        "--pauses", "20",
                        "--seed", "1",
                        "--broken", ""));
        return new Options(
                (int) given.whole("--messages"),
                (int) given.whole("--keys"),
                (int) given.whole("--processes"),
                (int) given.whole("--kills"),
                (int) given.whole("--pauses"),
                given.whole("--seed"),
                given.has("--broken", "fence"));
    }

    Strikes.Wanted strikes() {
        return new Strikes.Wanted(messages, kills, pauses, ClusterConsumer.LEASE, seed);
    }
}
