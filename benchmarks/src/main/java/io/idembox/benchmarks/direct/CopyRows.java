// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.direct;

import io.idembox.Message;
import io.idembox.benchmarks.rig.Arena;
import io.idembox.benchmarks.rig.Feed;
import io.idembox.benchmarks.rig.Strategy;
import io.idembox.benchmarks.rig.Tally;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.PGCopyOutputStream;

/**
 * The ceiling: rows like those of the ledger, with its key, streamed in by a binary COPY and committed per batch. It
 * cannot tell duplicates and has no effect.
 */
final class CopyRows implements Strategy {

    private static final byte[] SIGNATURE = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xFF, '\r', '\n', 0};
    private static final int HEADER_BYTES = SIGNATURE.length + 2 * Integer.BYTES;
    private static final int ROW_BYTES = 2 + 7 * Integer.BYTES + 8 + 8 + 16 + 4 + 4 + 1 + 17;
    private static final short END = -1;
    private static final long MICROS_1970_TO_2000 = 946_684_800_000_000L;

    private final DataSource dataSource;
    private final int batchSize;
    private final String table;

    /** Needs the tables of an inbox: it copies the shape of its ledger. */
    CopyRows(Arena arena, int batchSize) {
        this.dataSource = arena.dataSource();
        this.batchSize = batchSize;
        this.table = "copied_" + batchSize;
        arena.execute("create table %s (like idembox_ledger including all)".formatted(table));
    }

    String table() {
        return table;
    }

    @Override
    public String name() {
        return "COPY " + batchSize + ", no dedup, no effect";
    }

    @Override
    public int batchSize() {
        return batchSize;
    }

    @Override
    public boolean takesRedeliveries() {
        return false;
    }

    @Override
    public String effects() {
        return "select count(*) from " + table;
    }

    @Override
    public Tally consume(Feed feed) throws SQLException, IOException {
        List<Message> batch = feed.next(batchSize);
        try (Connection connection = dataSource.getConnection()) {
            CopyManager copy = connection.unwrap(PGConnection.class).getCopyAPI();
            try (PGCopyOutputStream out = new PGCopyOutputStream(
                    copy.copyIn(("copy %s (arrival, received_at, variant, consumer_id, source_id, kind, id)"
                                    + " from stdin (format binary)")
                            .formatted(table)))) {
                out.write(rows(batch));
            }
        }
        return Tally.completed(batch.size());
    }

    private static byte[] rows(List<Message> batch) {
        ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + batch.size() * ROW_BYTES + Short.BYTES);
        buffer.put(SIGNATURE).putInt(0).putInt(0);
        long now = System.currentTimeMillis() * 1000 - MICROS_1970_TO_2000;
        long arrival = System.nanoTime();
        for (Message message : batch) {
            UUID id = UUID.fromString(message.id().orElseThrow());
            buffer.putShort((short) 7);
            buffer.putInt(8).putLong(arrival++);
            buffer.putInt(8).putLong(now);
            buffer.putInt(16).putLong(id.getLeastSignificantBits()).putLong(id.getMostSignificantBits());
            buffer.putInt(4).putInt(1);
            buffer.putInt(4).putInt(1);
            buffer.putInt(1).put((byte) 'D');
            buffer.putInt(17).put((byte) 1);
            buffer.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        }
        return buffer.putShort(END).array();
    }
}
