// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The texts that the demo prints before and after the run. */
final class DemoTexts {

    private DemoTexts() {}

    static List<String> before(Plan plan, OrderStream stream) {
        List<String> lines = new ArrayList<>();
        lines.add(text(
                "%,d orders of %d accounts go through Kafka into PostgreSQL. %d %% of them are sent twice, about 1 %% fail at"
                        + " their",
                plan.messages(), OrderStream.ACCOUNTS, plan.duplicates()));
        lines.add(text(
                "first attempt, %d always fail. Four consumers, two processes each, one of them in a separate service:",
                stream.poison()));
        for (Role role : Role.values()) {
            lines.add(text("  %-9s %s", role.consumer(), role.description()));
        }
        lines.add(
                plan.kills()
                        ? text(
                                "Every %s one of the %d processes is killed (kill -9) or frozen for %d s while others take over.",
                                seconds(plan.killEvery()),
                                Role.values().length * ConsumerFleet.PROCESSES_EACH,
                                FaultInjector.FREEZE.toSeconds())
                        : "No process is killed: --kill-every is 0.");
        lines.add("");
        return lines;
    }

    static List<String> after(Result result) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add("Result: every order that Kafka acknowledged, compared with the effects in the databases");
        for (ConsumerBalance consumerBalance : result.consumerBalances()) {
            lines.add(text(
                    "  %-9s sent=%d effects=%d lost=%d doubled=%d reordered=%d parked=%d",
                    consumerBalance.role().consumer(),
                    consumerBalance.sent(),
                    consumerBalance.effects(),
                    consumerBalance.lost(),
                    consumerBalance.doubled(),
                    consumerBalance.reordered(),
                    consumerBalance.parked()));
        }
        lines.add("");
        lines.addAll(naive(result.of(Role.NAIVE)));
        Sample last = result.last();
        lines.add(text(
                "Idembox had the same records and kills. It skipped %,d duplicates, refused %,d late commits of processes that",
                last.of(Role.BILLING).duplicates() + last.of(Role.SHIPPING).duplicates(), result.fenced()));
        lines.add(text(
                "no longer owned their work, and parked the %d orders that always fail, in billing and in shipping.",
                result.poison()));
        lines.add(text(
                "The chain: billing sent %,d receipts through its outbox and Kafka. %,d were published twice, because a relay was",
                result.of(Role.BILLING).effects(), result.publishedAgain()));
        lines.add(text(
                "killed or frozen before it recorded them. The second service (%d kills and freezes) has %,d effects in its database.",
                last.faults(Role.RECEIPTS).kills() + last.faults(Role.RECEIPTS).freezes(),
                result.of(Role.RECEIPTS).effects()));
        if (result.unexpectedExits() > 0) {
            lines.add(text("%d processes ended without being killed; see their logs.", result.unexpectedExits()));
        }
        lines.add("");
        lines.add(result.line());
        return lines;
    }

    private static List<String> naive(ConsumerBalance naive) {
        return List.of(
                text(
                        "The naive consumer wrote %,d surplus effects: %,d because the sender sent an order twice, %,d because it was",
                        naive.doubled(), naive.doubledBySender(), naive.doubled() - naive.doubledBySender()),
                "killed or lost its partitions between an insert and its offset commit. It has no ledger row that commits with the effect.",
                text("It lost %,d orders: one attempt failed, and it continued with the next record.", naive.lost()));
    }

    static List<String> next() {
        return List.of(
                "Next:",
                "  ./idembox demo --kill-every 500ms   more kills; --keep leaves both servers running to look around",
                "  ./idembox example QuickStart        the smallest program; all others: ./idembox help",
                "  docs/demo.md                        what the demo shows, and how",
                "  README.md                           guarantees and limits");
    }

    static List<String> kept(DemoAddresses addresses, int postgresPort) {
        return List.of(
                "",
                "Both servers keep running:",
                text("  psql 'postgresql://postgres@127.0.0.1:%d/%s'", postgresPort, Servers.DATABASE),
                "       select status, count(*) from idembox_inbox group by status;",
                "       select message_id, attempts, error from idembox_inbox where status = 'FAILED_TERMINAL';",
                text("  psql 'postgresql://postgres@127.0.0.1:%d/%s'", postgresPort, Servers.RECEIPTS_DATABASE),
                text(
                        "  Kafka: bootstrap.servers=%s, topics %s and %s",
                        addresses.bootstrap(), Role.ORDERS, Role.RECEIPTS.topic()),
                "Press Enter or Ctrl-C to stop them and remove their data.");
    }

    static String seconds(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : text("%.1f s", millis / 1_000.0);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
