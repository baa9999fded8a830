// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.soak;

import io.idembox.acceptance.ForkedJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The consumer processes. Whatever happens here, they end: with {@link #close}, or with us. Thread-safe. */
final class Fleet implements AutoCloseable {

    /** That connections are lost and messages fail is what this is about; everything else that is an error is shown. */
    private static final List<String> JVM = List.of(
            "-Xmx160m",
            "-XX:+UseSerialGC",
            "-XX:+ExitOnOutOfMemoryError",
            "-Xshare:auto",
            "-Dorg.slf4j.simpleLogger.log.org.apache.kafka=off",
            "-Dorg.slf4j.simpleLogger.log.com.zaxxer.hikari=off");

    private final World world;
    private final boolean unfenced;
    private final List<Member> members = new ArrayList<>();
    private final AtomicInteger fenced = new AtomicInteger();
    private int endedByThemselves;
    private boolean closed;

    Fleet(World world, Options options) {
        this.world = world;
        this.unfenced = options.unfenced();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "fleet-end"));
        for (int slot = 0; slot < options.processes(); slot++) {
            members.add(start(slot));
        }
    }

    /** One of the processes. */
    static final class Member {

        private final int slot;
        private final ForkedJvm process;
        private volatile boolean ready;
        private volatile boolean works;
        private volatile long duplicates;

        private Member(int slot, ForkedJvm process) {
            this.slot = slot;
            this.process = process;
        }

        ForkedJvm process() {
            return process;
        }

        /** Whether it had an effect. */
        boolean works() {
            return works;
        }

        @Override
        public String toString() {
            return "process " + process.pid() + " in place " + slot;
        }
    }

    private synchronized Member start(int slot) {
        if (closed) {
            throw new IllegalStateException("The run is over");
        }
        SoakConsumer.Place place =
                new SoakConsumer.Place(world.jdbcUrl(), world.bootstrap(), World.TOPIC, slot, unfenced);
        Member member = new Member(slot, ForkedJvm.startWith(JVM, SoakConsumer.class, place.args()));
        Thread reader = new Thread(() -> read(member), "reads-" + member.process.pid());
        reader.setDaemon(true);
        reader.start();
        return member;
    }

    private void read(Member member) {
        for (String line = member.process.line(); line != null; line = member.process.line()) {
            if (line.equals("ready")) {
                member.ready = true;
            } else if (line.equals("works")) {
                member.works = true;
            } else if (line.equals("fenced")) {
                fenced.incrementAndGet();
            } else if (line.startsWith("duplicates ")) {
                member.duplicates = Long.parseLong(line.substring(11));
            } else {
                System.out.println(member + " said: " + line);
            }
        }
    }

    /** Those that work, or could. */
    synchronized List<Member> ready() {
        return members.stream()
                .filter(member -> member.ready && member.process.isAlive())
                .toList();
    }

    /** kill -9, and another one starts at once. */
    synchronized void kill(Member member) {
        member.process.kill();
        replace(member);
    }

    /** All at once; nobody reads until {@link #startAll}. */
    synchronized void killAll() {
        members.forEach(member -> member.process.kill());
    }

    synchronized void startAll() {
        members.replaceAll(member -> start(member.slot));
    }

    private void replace(Member member) {
        members.set(members.indexOf(member), start(member.slot));
    }

    /** Nobody is supposed to end without being killed; the run goes on, but it is not well. */
    synchronized void replaceTheEnded() {
        for (Member member : List.copyOf(members)) {
            if (!member.process.isAlive()) {
                endedByThemselves++;
                replace(member);
            }
        }
    }

    synchronized int endedByThemselves() {
        return endedByThemselves;
    }

    /** How often somebody was refused. */
    int fenced() {
        return fenced.get();
    }

    /** How many deliveries those that run now have answered as duplicates. */
    synchronized long duplicates() {
        return members.stream().mapToLong(member -> member.duplicates).sum();
    }

    @Override
    public synchronized void close() {
        closed = true;
        members.forEach(member -> member.process.kill());
    }
}
