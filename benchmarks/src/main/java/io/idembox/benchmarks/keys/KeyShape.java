// SPDX-License-Identifier: Apache-2.0
package io.idembox.benchmarks.keys;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The keys a ledger could have. The consumer is {@code accounting}, the source {@code /accounts}, ids are UUIDs. */
enum KeyShape {
    /** The shipped ledger. */
    NUMBERS_AND_BYTES(
            "int, int, id as bytes (the ledger)",
            """
            consumer_id int    not null,
                    source_id   int    not null,
                    kind        "char" not null,
                    id          bytea  not null,
                    primary key (consumer_id, source_id, id)""",
            "consumer_id, source_id, kind, id",
            "1, 1, 'D', %s",
            new IdCode("bytea", "'\\x01'::bytea || uuid_send(gen_random_uuid())", KeyShape::bytes, byte[][]::new)),

    NUMBERS_AND_TEXT(
            "int, int, id as text collate \"C\"",
            """
            consumer_id int    not null,
                    source_id   int    not null,
                    kind        "char" not null,
                    id          text   collate "C" not null,
                    primary key (consumer_id, source_id, id)""",
            "consumer_id, source_id, kind, id",
            "1, 1, 'D', %s",
            new IdCode("text", "gen_random_uuid()::text", id -> id, String[]::new)),

    ALL_TEXT(
            "text, text, id as text collate \"C\"",
            """
            kind     "char" not null,
                    consumer text   collate "C" not null,
                    source   text   collate "C" not null,
                    id       text   collate "C" not null,
                    primary key (consumer, source, id)""",
            "kind, consumer, source, id",
            "'D', 'accounting', '/accounts', %s",
            new IdCode("text", "gen_random_uuid()::text", id -> id, String[]::new)),

    HASH(
            "128-bit hash of all three as uuid",
            """
            hash uuid   not null primary key,
                    kind "char" not null""",
            "hash, kind",
            "%s, 'D'",
            new IdCode("uuid", "gen_random_uuid()", KeyShape::hash, UUID[]::new));

    private record IdCode(String type, String random, Function<String, Object> encode, IntFunction<Object[]> array) {}

    private final String label;
    private final String columns;
    private final String names;
    private final String values;
    private final IdCode id;

    KeyShape(String label, String columns, String names, String values, IdCode id) {
        this.label = label;
        this.columns = columns;
        this.names = names;
        this.values = values;
        this.id = id;
    }

    String label() {
        return label;
    }

    String table() {
        return "ledger_" + name().toLowerCase(Locale.ROOT);
    }

    /** Column definitions of what is not the same for all. */
    String columns() {
        return columns;
    }

    String names() {
        return names;
    }

    String values(String idExpression) {
        return values.formatted(idExpression);
    }

    String idType() {
        return id.type;
    }

    /** SQL for the id of a message nobody has seen. */
    String randomId() {
        return id.random;
    }

    /** As the driver's array wants them. */
    Object[] encode(List<String> ids) {
        return ids.stream().map(id.encode).toArray(id.array);
    }

    private static Object bytes(String id) {
        UUID uuid = UUID.fromString(id);
        return ByteBuffer.allocate(17)
                .put((byte) 1)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static Object hash(String id) {
        try {
            byte[] all = ("accounting\n/accounts\n" + id).getBytes(StandardCharsets.UTF_8);
            ByteBuffer digest =
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(all));
            return new UUID(digest.getLong(), digest.getLong());
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
