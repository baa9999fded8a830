// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.internal.jdbc.Database;
import io.idembox.testkit.fault.Fault;
import io.idembox.testkit.fault.FaultPlan;
import io.idembox.testkit.fault.Step;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Breaks every call of every path in every way, on real databases, and looks whether a message was lost or doubled; then
 * does the same to broken engines and demands that each is caught; then kills real processes.
 */
final class CrashPoints {

    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Set<String> reached = new ConcurrentSkipListSet<>();
    private final AtomicInteger cases = new AtomicInteger();
    private final AtomicInteger number = new AtomicInteger();
    private final int every;

    /** @param every only the n-th fault of each path, for the sound engine; a broken engine meets them all until it is caught */
    private CrashPoints(int every) {
        this.every = every;
    }

    public static void main(String[] args) throws IOException {
        List<String> given = List.of(args);
        boolean quick = given.contains("--quick");
        if (given.contains("--steps")) {
            printSteps();
            return;
        }
        CrashPoints run = new CrashPoints(every(given));
        long begin = System.nanoTime();
        if (given.contains("--broken")) {
            List<String> notCaught = run.brokenEngines(given);
            System.exit(notCaught.isEmpty() ? 0 : 1);
        }
        List<Path> paths = chosen(given);
        if (given.contains("--sites")) {
            run.soundEngine(paths, List.of());
            run.missedSites().forEach(site -> System.out.println("only a fault reaches " + site));
            return;
        }
        if (paths.size() < Path.all().size()) {
            run.soundEngine(paths, Fault.all());
            System.exit(run.violations.isEmpty() ? 0 : 1);
        }
        run.soundEngine(
                quick ? Stream.of("first", "failing", "stored").map(Path::named).toList() : paths, Fault.all());
        Set<String> missed = run.missedSites();
        List<String> escaped = quick ? List.of() : run.brokenEngines(List.of());
        int kills = Kills.run(quick ? 3 : Integer.getInteger("idembox.kills", 50), run::violated);
        if (!quick) {
            missed.forEach(each -> System.out.println("NEVER REACHED " + each));
        }
        escaped.forEach(each -> System.out.println("NOT CAUGHT " + each));
        int broken = quick ? 0 : BrokenEngine.values().length - 1;
        System.out.printf(
                Locale.ROOT,
                "crash-points cases=%d sites=%d unreached=%d violations=%d broken-caught=%d/%d kills=%d seconds=%d%n",
                run.cases.get(),
                run.reached.size(),
                quick ? 0 : missed.size(),
                run.violations.size(),
                broken - escaped.size(),
                broken,
                kills,
                (System.nanoTime() - begin) / 1_000_000_000);
        boolean ok = run.violations.isEmpty() && escaped.isEmpty() && (quick || missed.isEmpty());
        System.exit(ok ? 0 : 1);
    }

    private static int every(List<String> given) {
        return given.stream()
                .filter(option -> option.startsWith("--every="))
                .mapToInt(option -> Integer.parseInt(option.substring("--every=".length())))
                .findFirst()
                .orElse(1);
    }

    /** All paths, or those that {@code --paths=first,stored} names. */
    private static List<Path> chosen(List<String> given) {
        List<Path> paths = new ArrayList<>();
        for (String option : given) {
            if (option.startsWith("--paths=")) {
                for (String name : option.substring("--paths=".length()).split(",", -1)) {
                    paths.add(Path.named(name));
                }
            }
        }
        return paths.isEmpty() ? Path.all() : paths;
    }

    /** Those that a database can do. */
    private static List<Path> told(Database database, List<Path> paths) {
        return paths.stream().filter(path -> path.isFor(database)).toList();
    }

    /** The calls of every path, for people who look for one. */
    private static void printSteps() {
        for (Database database : Database.values()) {
            try (World world = new World(database)) {
                for (Path path : told(database, Path.all())) {
                    System.out.println(database.folder() + " " + path);
                    new Story(world, path, BrokenEngine.NONE, "s-" + path.name())
                            .tell(null)
                            .steps()
                            .forEach(step -> System.out.println("  " + step));
                }
            }
        }
    }

    /** Every database has a world of its own, so they are gone through at the same time. */
    private void soundEngine(List<Path> paths, List<Fault> faults) {
        Arrays.stream(Database.values()).parallel().forEach(database -> soundEngine(database, paths, faults));
    }

    private void soundEngine(Database database, List<Path> paths, List<Fault> faults) {
        try (World world = new World(database)) {
            for (Path path : told(database, paths)) {
                enumerate(world, path, BrokenEngine.NONE, faults);
            }
            reached.addAll(SideRoads.travel(world));
        }
    }

    /** These faults at every call of the path; the first violation, if there is one. A broken engine stops there. */
    private Optional<String> enumerate(World world, Path path, BrokenEngine engine, List<Fault> faults) {
        Story.Result calm = tell(world, path, engine, null);
        Optional<String> first = report(world, path, engine, null, calm);
        List<Fault> taken = faults.stream().filter(path::takes).toList();
        List<FaultPlan> plans = path.takesFaults() ? FaultPlan.enumerate(calm.steps(), taken) : List.of();
        int stride = engine == BrokenEngine.NONE ? every : 1;
        int told = 1;
        for (int nth = 0; nth < plans.size(); nth += stride, told++) {
            FaultPlan plan = plans.get(nth);
            if (first.isPresent() && engine != BrokenEngine.NONE) {
                return first;
            }
            Story.Result result = tell(world, path, engine, plan);
            if (!result.struck() && engine == BrokenEngine.NONE) {
                violated("the fault " + plan + " of path " + path + " never happened");
            }
            Optional<String> violation = report(world, path, engine, plan, result);
            first = first.isPresent() ? first : violation;
        }
        if (engine == BrokenEngine.NONE) {
            System.out.printf(
                    Locale.ROOT,
                    "%-10s %-22s %5d cases, %d violations in all%n",
                    world.database().folder(),
                    path.name(),
                    told,
                    violations.size());
        }
        return first;
    }

    private Story.Result tell(World world, Path path, BrokenEngine engine, FaultPlan plan) {
        Story.Result result = new Story(world, path, engine, "c" + number.getAndIncrement()).tell(plan);
        if (engine == BrokenEngine.NONE) {
            cases.incrementAndGet();
            result.steps().stream().map(CrashPoints::siteOf).forEach(reached::add);
        }
        return result;
    }

    private Optional<String> report(World world, Path path, BrokenEngine engine, FaultPlan plan, Story.Result result) {
        Optional<String> violation = result.violation()
                .map(what ->
                        world.database().folder() + " " + path + " " + (plan == null ? "calm" : plan) + ": " + what);
        if (engine == BrokenEngine.NONE) {
            violation.ifPresent(this::violated);
        }
        return violation;
    }

    private void violated(String what) {
        violations.add(what);
        System.out.println("VIOLATION " + what);
    }

    /** {@code Class:line} of the nearest frame; of a call to those outside, of whoever makes it through code of the user. */
    static String siteOf(Step step) {
        String[] frames = step.site().split(" < ", 3);
        boolean outside = step.kind() == Step.Kind.ACKNOWLEDGE && frames.length > 1 && frames[0].startsWith("handler ");
        String nearest = frames[outside ? 1 : 0];
        return nearest.replaceAll("^(\\w+)[.$].*:(\\d+)$", "$1:$2");
    }

    private Set<String> missedSites() {
        Set<String> missed = CallSiteCensus.take();
        missed.removeAll(reached);
        return missed;
    }

    /** Those that were not caught. */
    private List<String> brokenEngines(List<String> given) throws IOException {
        boolean some = given.stream().anyMatch(option -> !option.startsWith("--"));
        return listed().parallelStream()
                .map(line -> line.split("\\s+", 2))
                .filter(parts -> !some || given.contains(parts[0]))
                .filter(parts -> escapes(parts[0], parts[1], chosen(given)))
                .map(parts -> parts[0])
                .toList();
    }

    private boolean escapes(String name, String description, List<Path> paths) {
        BrokenEngine engine = BrokenEngine.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        Optional<String> caught = catchIt(engine, description, paths);
        System.out.printf(
                Locale.ROOT,
                "broken %-26s %s%n",
                name,
                caught.map(by -> "caught: " + by).orElse("NOT CAUGHT"));
        return caught.isEmpty();
    }

    /** On the path that is meant for it first, then on all. */
    private Optional<String> catchIt(BrokenEngine engine, String description, List<Path> paths) {
        Optional<String> caught = description.startsWith("@")
                ? catchOn(engine, List.of(Path.named(description.substring(1, description.indexOf(' ')))))
                : Optional.empty();
        return caught.isPresent() ? caught : catchOn(engine, paths);
    }

    /** Without faults first, then with the faults that tell most; the programme stops at the first violation. */
    private Optional<String> catchOn(BrokenEngine engine, List<Path> paths) {
        for (List<Fault> faults : List.of(List.<Fault>of(), List.of(Fault.GONE, Fault.CONNECTION_LOST, Fault.PAUSED))) {
            for (Database database : Database.values()) {
                try (World world = new World(database)) {
                    for (Path path : told(database, paths)) {
                        Optional<String> caught = enumerate(world, path, engine, faults);
                        if (caught.isPresent()) {
                            return caught;
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static List<String> listed() throws IOException {
        try (InputStream in = CrashPoints.class.getResourceAsStream("/broken-engines.txt")) {
            List<String> lines = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
            if (lines.size() != BrokenEngine.values().length - 1) {
                throw new IllegalStateException("broken-engines.txt and BrokenEngine do not list the same");
            }
            return lines;
        }
    }
}
