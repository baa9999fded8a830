// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Inbox;
import io.idembox.Message;
import io.idembox.Receipt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.postgresql.ds.PGSimpleDataSource;

/** A consumer process that is made to be killed. What it has acknowledged is in a file; the rest is delivered again. */
final class KilledConsumer {

    private static final int BATCH = 20;

    private KilledConsumer() {}

    public static void main(String[] args) throws Exception {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(args[0]);
        dataSource.setUser("postgres");
        Path acknowledged = Path.of(args[1]);
        int count = Integer.parseInt(args[2]);
        Set<String> done = new HashSet<>(Files.readAllLines(acknowledged));
        try (Inbox inbox = Inbox.on(dataSource).start()) {
            System.out.println("ready");
            List<Message> batch = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                Message message = message(i);
                if (!done.contains(message.id().orElseThrow())) {
                    batch.add(message);
                }
                if (batch.size() == BATCH || i == count - 1) {
                    handle(inbox, batch, acknowledged);
                    batch.clear();
                }
            }
        }
        System.out.println("end");
    }

    static Message message(int nr) {
        return Message.of("k" + nr, "OrderPlaced", "{\"nr\":" + nr + "}").from("/kills");
    }

    private static void handle(Inbox inbox, List<Message> batch, Path acknowledged) throws Exception {
        List<Receipt> receipts = inbox.handleAll("killed", batch, context -> {
            try (PreparedStatement insert =
                    context.connection().prepareStatement("insert into effect (id, part) values (?, 'at once')")) {
                insert.setString(1, context.id().id());
                insert.executeUpdate();
            }
            context.later(
                    "insert into effect (id, part) values (?, 'later')",
                    context.id().id());
            int nr = Integer.parseInt(context.id().id().substring(1));
            if (nr % 17 == 3 && context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        });
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < batch.size(); i++) {
            if (receipts.get(i).acknowledges()) {
                lines.append(batch.get(i).id().orElseThrow()).append('\n');
            }
        }
        Files.writeString(acknowledged, lines, StandardOpenOption.APPEND, StandardOpenOption.DSYNC);
    }
}
