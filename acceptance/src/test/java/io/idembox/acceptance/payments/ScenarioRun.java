// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import io.idembox.acceptance.programme.Fleet;
import io.idembox.acceptance.programme.Pool;
import io.idembox.acceptance.programme.Strikes;
import io.idembox.admin.InboxMessage;
import io.idembox.testkit.postgres.PostgresDatabase;
import io.idembox.testkit.provider.Charge;
import io.idembox.testkit.provider.PaymentProvider;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * One scenario: processes handle payments and have them charged at a provider that loses answers and answers late; some are killed,
 * and some stand still for longer than their leases. Then whoever has to look looks, and our side is compared with the books of
 * the provider. Not thread-safe.
 */
final class ScenarioRun implements AutoCloseable {

    private static final int PERCENT_LOST = 5;
    private static final int PERCENT_LATE = 5;
    private static final Duration LATENESS = PaymentWorker.PATIENCE.plusSeconds(1);
    private static final Duration LIMIT = Duration.ofMinutes(6);
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
    private static final long TICK_NANOS = 50_000_000;
    private static final int BATCH = 100;

    /** What is redriven may lose its answer again. */
    private static final int ROUNDS = 12;

    private final Scenario scenario;
    private final Options options;
    private final List<Payment> payments;
    private final PaymentProvider provider;
    private final HikariDataSource pool;
    private final Scene scene;
    private final Inbox inbox;
    private final Operator operator;
    private final Fleet fleet;
    private final Strikes strikes;
    private final long begin = System.nanoTime();
    private final List<String> faults = new ArrayList<>();
    private long lastReport = begin;
    private int stored;

    ScenarioRun(Scenario scenario, Options options, PostgresDatabase database) throws SQLException {
        this.scenario = scenario;
        this.options = options;
        this.payments = Payment.all(options.payments());
        PaymentProvider.Builder told = PaymentProvider.builder()
                .seed(options.seed())
                .losesAnswers(PERCENT_LOST)
                .answersLate(PERCENT_LATE, LATENESS);
        this.provider = (scenario.honoursKeys() ? told : told.ignoresKeys()).start();
        this.pool = Pool.of(database.jdbcUrl(), 4);
        this.scene = new Scene(pool);
        this.inbox = Inbox.on(pool)
                .createSchema()
                .consumer(PaymentWorker.SHOP, PaymentWorker.POLICY)
                .start();
        scene.createPurchases();
        this.operator = new Operator(inbox.admin(), provider, scenario);
        this.fleet = PaymentWorker.fleet(database.jdbcUrl(), provider.origin(), scenario, options);
        this.strikes = new Strikes(fleet, scene, options.strikesIn(scenario));
    }

    /** Until everything is decided, and what came of it. */
    Result run() throws SQLException {
        System.out.println(scenario + ": " + scene.server() + "; " + payments.size() + " payments, "
                + options.processes() + " processes, senders " + options.manner());
        demand(goOn(), "time is over: " + stored + " of " + payments.size() + " payments were handed in");
        // Whoever stood still may have a call in hand that nobody knows of: it may be made, but not after somebody
        // looked.
        demand(await(this::isProviderQuiet), "the provider was called although there was nothing to do");
        fleet.killAll();
        demand(await(this::isProviderQuiet), "the provider was called although nobody was there");
        Findings findings = look(Checker.Stage.BY_ITSELF);
        int parked = findings.parked;
        demand(isVisible(), "what is set aside is not what people see");
        if (parked > 0) {
            fleet.startAll();
            haveThemDecided();
        }
        if (findings.areFine()) {
            findings = look(Checker.Stage.IN_THE_END);
        }
        findings.print();
        return judge(findings, parked);
    }

    /** Until everything is handed in and settled and nobody stands still; false when the time is over before that. */
    private boolean goOn() throws SQLException {
        return await(() -> {
            int settled = scene.settled();
            int allowed = Math.min(strikes.allowance(), payments.size());
            boolean idle = stored >= allowed && !scene.isBusy();
            strikes.advance(settled, idle);
            fleet.replaceTheEnded();
            report(settled);
            if (idle && stored == payments.size() && !strikes.isSomebodyPaused()) {
                return !operator.redrivePurchases();
            }
            handIn(Math.min(strikes.allowance(), payments.size()));
            return false;
        });
    }

    /** Some of them come twice, as they do. */
    private void handIn(int allowed) {
        while (stored < allowed) {
            int to = Math.min(allowed, stored + BATCH);
            List<Message> batch = new ArrayList<>();
            payments.subList(stored, to).forEach(payment -> batch.add(payment.message()));
            batch.add(payments.get(stored / 2).message());
            for (Receipt receipt : inbox.store(PaymentWorker.SHOP, batch)) {
                if (!receipt.acknowledges()) {
                    return; // all of them come again
                }
            }
            stored = to;
        }
    }

    /** What is set aside is redriven or discarded until nothing is left. */
    private void haveThemDecided() throws SQLException {
        for (int round = 1; round <= ROUNDS; round++) {
            List<InboxMessage> setAside = operator.setAside();
            if (setAside.isEmpty()) {
                return;
            }
            System.out.println(scenario + ": " + setAside.size()
                    + " charges are set aside; the operator looks at them, round " + round);
            operator.decide(setAside);
            demand(await(() -> !scene.isBusy() && isProviderQuiet()), "what was redriven did not come to an end");
        }
        faults.add("after " + ROUNDS + " rounds of an operator there are still charges set aside");
    }

    /** People see what is parked, and nothing else. */
    private boolean isVisible() throws SQLException {
        Set<String> seen = new HashSet<>();
        for (InboxMessage each : operator.setAside()) {
            seen.add(each.id().id());
        }
        Set<String> parked = scene.intents().values().stream()
                .filter(intended -> intended.status().equals("PARKED"))
                .map(Ledger.Intended::key)
                .collect(Collectors.toSet());
        return seen.equals(parked);
    }

    /** Whether nobody has called it for a while, and nothing is under way. */
    private boolean isProviderQuiet() {
        long before = provider.requests();
        LockSupport.parkNanos(QUIET.toNanos());
        return provider.requests() == before && provider.inProgress() == 0;
    }

    private Findings look(Checker.Stage stage) throws SQLException {
        var charges = provider.charges().stream().collect(Collectors.groupingBy(Charge::account));
        return Checker.check(
                scenario, stage, payments, new Ledger(scene.purchases(), scene.unhandled(), scene.intents(), charges));
    }

    private Result judge(Findings findings, int parked) {
        demand(strikes.kills() >= options.kills(), "kills: " + strikes.kills() + " of " + options.kills());
        demand(
                strikes.pauses() >= options.freezesIn(scenario),
                "freezes: " + strikes.pauses() + " of " + options.freezesIn(scenario));
        demand(fleet.endedByThemselves() == 0, fleet.endedByThemselves() + " processes ended without being killed");
        demand(findings.unknown > 0 && fleet.counted("unknown") > 0, "nothing was unknown, or nobody was told of it");
        demand(options.kills() == 0 || findings.expired > 0, "no lease ran out");
        demand(!scenario.reconciles() || fleet.counted("reconciled") > 0, "nothing was reconciled");
        demand(!scenario.asksAHuman() || parked > 0, "nothing was left to a human");
        demand(
                !scenario.mayDouble() || findings.risked > 0,
                "nothing was charged twice, although the policy accepts it");
        faults.forEach(fault -> System.out.println("FAULT " + scenario + ": " + fault));
        System.out.printf(
                Locale.ROOT,
                "%s: tries without an answer %d (%d of them told by events), without a sender %d; fenced %d; redriven %d, discarded"
                        + " %d, purchases redriven %d; the provider had %d requests and %d questions, lost %d answers, was late with %d, repeated %d%n",
                scenario,
                findings.unknown,
                fleet.counted("unknown"),
                findings.expired,
                fleet.fenced(),
                operator.redriven(),
                operator.discarded(),
                operator.purchases(),
                provider.requests(),
                provider.lookups(),
                provider.answersLost(),
                provider.answersLate(),
                provider.replays());
        return new Result(List.of(scenario), figures(findings, parked), findings.areFine() && faults.isEmpty());
    }

    private Map<String, Long> figures(Findings findings, int parked) {
        Map<String, Long> figures = new LinkedHashMap<>();
        figures.put("payments", (long) payments.size());
        figures.put("charged", (long) findings.charged);
        figures.put("doubled", (long) findings.doubled);
        figures.put("risked", (long) findings.risked);
        figures.put("missing", (long) findings.missing);
        figures.put("unknown", (long) findings.unknown + findings.expired);
        figures.put("reconciled", (long) fleet.counted("reconciled"));
        figures.put("parked", (long) parked);
        figures.put("kills", (long) strikes.kills());
        figures.put("freezes", (long) strikes.pauses());
        figures.put("seconds", seconds());
        return figures;
    }

    private void demand(boolean holds, String otherwise) {
        if (!holds) {
            faults.add(otherwise);
        }
    }

    /** Something that becomes true. */
    private interface Condition {
        boolean holds() throws SQLException;
    }

    /** False when the time of the scenario is over before that. */
    private boolean await(Condition condition) throws SQLException {
        while (!condition.holds()) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(TICK_NANOS);
        }
        return true;
    }

    private void report(int settled) {
        long now = System.nanoTime();
        if (now - lastReport < REPORT_EVERY.toNanos()) {
            return;
        }
        lastReport = now;
        System.out.printf(
                Locale.ROOT,
                "%4d s  %s: handed in %d, settled %d, in the books %d, kills %d, freezes %d, %d processes work%n",
                seconds(),
                scenario,
                stored,
                settled,
                provider.charges().size(),
                strikes.kills(),
                strikes.pauses(),
                fleet.ready().size());
    }

    private long seconds() {
        return (System.nanoTime() - begin) / 1_000_000_000;
    }

    @Override
    public void close() {
        fleet.close();
        inbox.close();
        pool.close();
        provider.close();
    }
}
