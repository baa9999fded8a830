// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.cluster;

import io.idembox.acceptance.ForkedJvm;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The consumer processes. Whatever happens here, they end: with {@link #close}, or with us. Thread-safe. */
final class Fleet implements AutoCloseable {

    /** Poison is reported as an error, a hundred times and as expected; everything else that is an error is shown. */
    private static final List<String> JVM = List.of(
            "-XX:+UseSerialGC", "-Xshare:auto", "-Dorg.slf4j.simpleLogger.log.io.idembox.internal.engine.BatchRun=off");

    private final String jdbcUrl;
    private final String kind;
    private final List<Member> members = new ArrayList<>();
    private final AtomicInteger fenced = new AtomicInteger();
    private int endedByThemselves;
    private boolean closed;

    Fleet(String jdbcUrl, Options options) {
        this.jdbcUrl = jdbcUrl;
        this.kind = options.unfenced() ? "unfenced" : "sound";
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "fleet-end"));
        for (int i = 0; i < options.processes(); i++) {
            members.add(start());
        }
    }

    /** One of the processes. */
    static final class Member {

        private final ForkedJvm process;
        private volatile boolean ready;

        private Member(ForkedJvm process) {
            this.process = process;
        }

        ForkedJvm process() {
            return process;
        }
    }

    private synchronized Member start() {
        if (closed) {
            throw new IllegalStateException("The run is over");
        }
        Member member = new Member(ForkedJvm.startWith(JVM, ClusterConsumer.class, jdbcUrl, kind));
        Thread reader = new Thread(() -> read(member), "reads-" + member.process.pid());
        reader.setDaemon(true);
        reader.start();
        return member;
    }

    private void read(Member member) {
        for (String line = member.process.line(); line != null; line = member.process.line()) {
            switch (line) {
                case "ready" -> member.ready = true;
                case "fenced" -> fenced.incrementAndGet();
                default -> System.out.println("process " + member.process.pid() + " said: " + line);
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

    private void replace(Member member) {
        members.set(members.indexOf(member), start());
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

    int fenced() {
        return fenced.get();
    }

    @Override
    public synchronized void close() {
        closed = true;
        members.forEach(member -> member.process.kill());
    }
}
