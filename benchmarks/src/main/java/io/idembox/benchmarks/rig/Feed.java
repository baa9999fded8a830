// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.rig;

import io.idembox.Message;
import io.idembox.Payload;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * The stream of one worker, see {@link Workload}. Keys are shared out between the workers, as partitions do. Not
 * thread-safe.
 */
public final class Feed {

    private final SplittableRandom random;
    private final int accounts;
    private final int worker;
    private final int workers;
    private final boolean redelivers;
    private final List<Message> recent = new ArrayList<>(Workload.REMEMBERED);
    private long fresh;
    private long repeated;

    public Feed(SplittableRandom random, int worker, int workers, boolean redelivers) {
        this(random, Workload.ACCOUNTS, worker, workers, redelivers);
    }

    Feed(SplittableRandom random, int accounts, int worker, int workers, boolean redelivers) {
        this.random = random;
        this.accounts = accounts;
        this.worker = worker;
        this.workers = workers;
        this.redelivers = redelivers;
    }

    /** The next deliveries. */
    public List<Message> next(int messages) {
        List<Message> batch = new ArrayList<>(messages);
        for (int i = 0; i < messages; i++) {
            batch.add(next());
        }
        return batch;
    }

    private Message next() {
        if (redelivers && !recent.isEmpty() && random.nextDouble() < Workload.REDELIVERED) {
            repeated++;
            return recent.get(random.nextInt(recent.size()));
        }
        Message message = message();
        if (recent.size() < Workload.REMEMBERED) {
            recent.add(message);
        } else {
            recent.set((int) (fresh % Workload.REMEMBERED), message);
        }
        fresh++;
        return message;
    }

    private Message message() {
        String id = randomUuid().toString();
        String account = String.valueOf(random.nextInt(accounts / workers) * workers + worker);
        return Message.of(id, Workload.TYPE, Payload.of(payload(id, account), Payload.JSON))
                .from(Workload.SOURCE)
                .keyed(account);
    }

    private static byte[] payload(String id, String account) {
        String facts = "{\"event\":\"" + id + "\",\"account\":" + account + ",\"cents\":1,\"note\":\"";
        byte[] bytes = new byte[Workload.PAYLOAD_BYTES];
        Arrays.fill(bytes, (byte) 'n');
        byte[] front = facts.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(front, 0, bytes, 0, front.length);
        bytes[Workload.PAYLOAD_BYTES - 2] = '"';
        bytes[Workload.PAYLOAD_BYTES - 1] = '}';
        return bytes;
    }

    /** Version 4, but from a generator that costs nothing. */
    private UUID randomUuid() {
        long high = (random.nextLong() & 0xFFFFFFFFFFFF0FFFL) | 0x4000L;
        long low = (random.nextLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
        return new UUID(high, low);
    }

    /** How many different messages were delivered. */
    public long fresh() {
        return fresh;
    }

    /** How many deliveries were repetitions. */
    public long repeated() {
        return repeated;
    }
}
