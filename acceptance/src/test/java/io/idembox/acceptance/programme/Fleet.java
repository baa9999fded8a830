// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.programme;

import io.idembox.acceptance.ForkedJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * The consumer processes of a programme. Whatever happens here, they end: with {@link #close}, or with us. A process says {@code
 * ready} when it begins, {@code works} with its first effect, {@code fenced} whenever it was refused, {@code duplicates n} for
 * the deliveries it answered as such, and {@code count word} for whatever else is to be counted. Thread-safe.
 */
public final class Fleet implements AutoCloseable {

    private final IntFunction<ForkedJvm> launch;
    private final List<Member> members = new ArrayList<>();
    private final AtomicInteger fenced = new AtomicInteger();
    private final Map<String, Integer> counted = new ConcurrentHashMap<>();
    private int endedByThemselves;
    private boolean closed;

    /** @param launch starts the process of a place; those that follow each other there have the same number */
    public Fleet(int processes, IntFunction<ForkedJvm> launch) {
        this.launch = launch;
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "fleet-end"));
        for (int sequenceNumber = 0; sequenceNumber < processes; sequenceNumber++) {
            members.add(start(sequenceNumber));
        }
    }

    /** One of the processes. */
    public static final class Member {

        private final int sequenceNumber;
        private final ForkedJvm process;
        private volatile boolean ready;
        private volatile boolean works;
        private volatile long duplicates;

        private Member(int sequenceNumber, ForkedJvm process) {
            this.sequenceNumber = sequenceNumber;
            this.process = process;
        }

        public ForkedJvm process() {
            return process;
        }

        /** Whether it had an effect. */
        public boolean works() {
            return works;
        }

        @Override
        public String toString() {
            return "process " + process.pid() + " in place " + sequenceNumber;
        }
    }

    private synchronized Member start(int sequenceNumber) {
        if (closed) {
            throw new IllegalStateException("The run is over");
        }
        Member member = new Member(sequenceNumber, launch.apply(sequenceNumber));
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
            } else if (line.startsWith("count ")) {
                counted.merge(line.substring(6), 1, Integer::sum);
            } else {
                System.out.println(member + " said: " + line);
            }
        }
    }

    /** Those that work, or could. */
    public synchronized List<Member> ready() {
        return members.stream()
                .filter(member -> member.ready && member.process.isAlive())
                .toList();
    }

    /** kill -9, and another one starts at once. */
    public synchronized void kill(Member member) {
        member.process.kill();
        replace(member);
    }

    /** All at once; nobody reads until {@link #startAll}. */
    public synchronized void killAll() {
        members.forEach(member -> member.process.kill());
    }

    public synchronized void startAll() {
        members.replaceAll(member -> start(member.sequenceNumber));
    }

    private void replace(Member member) {
        members.set(members.indexOf(member), start(member.sequenceNumber));
    }

    /** Nobody is supposed to end without being killed; the run goes on, but it is not well. */
    public synchronized void replaceTheEnded() {
        for (Member member : List.copyOf(members)) {
            if (!member.process.isAlive()) {
                endedByThemselves++;
                replace(member);
            }
        }
    }

    public synchronized int endedByThemselves() {
        return endedByThemselves;
    }

    /** How often somebody was refused. */
    public int fenced() {
        return fenced.get();
    }

    /** How often somebody said that this has to be counted. */
    public int counted(String word) {
        return counted.getOrDefault(word, 0);
    }

    /** How many deliveries those that run now have answered as duplicates. */
    public synchronized long duplicates() {
        return members.stream().mapToLong(member -> member.duplicates).sum();
    }

    @Override
    public synchronized void close() {
        closed = true;
        members.forEach(member -> member.process.kill());
    }
}
