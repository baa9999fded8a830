// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.Work;
import io.idembox.internal.jdbc.Database;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryPolicy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A story whose every call is broken in turn. Message ids begin with the number of the case, so cases do not meet. */
interface Path {

    /** How often a poison message is tried. */
    int CAP = 6;

    ConsumerPolicy DIRECT = ConsumerPolicy.defaults().retry(RetryPolicy.exponential(CAP, Duration.ZERO, Duration.ZERO));

    List<Message> messages(String id);

    /** What happens before anything breaks. */
    default void before(Story story) {}

    /** What happens around the delivery that breaks. */
    default void during(Story story, Runnable delivering) {
        delivering.run();
    }

    default Work work(Story story) {
        return story::effect;
    }

    default ConsumerPolicy policy() {
        return DIRECT;
    }

    /** Whether deliveries are stored and then worked on. */
    default boolean isStored() {
        return false;
    }

    /** How many messages share a lease. */
    default int batchSize() {
        return 2;
    }

    /** Whether workers take part. */
    default boolean hasWorkers() {
        return isStored();
    }

    /** What the node does that breaks. */
    default void act(Story story, Node node) {
        story.deliver(node, story.broker().unacknowledged());
    }

    /** What people do again when they got no answer; whoever comes after does it before anything else. */
    default void insist(Story story, Node node) {}

    /** Whether what people wanted is done. */
    default boolean isOver(Story story) {
        return true;
    }

    /** Whether somebody gives the message up. */
    default boolean isDiscarded(Message message) {
        return false;
    }

    /** How often a poison message fails in all; unlimited when nobody counts. */
    default Optional<Integer> failures() {
        return Optional.empty();
    }

    /** Whether no attempt may be counted, because nothing went wrong. */
    default boolean costsNothing() {
        return false;
    }

    /** Whether the effects of each key have to be in the order their messages were sent in. */
    default boolean keepsOrder() {
        return policy().ordering() != Ordering.NONE;
    }

    /** How long a node waits for a mark that somebody else is writing; short, because some stories wait in vain. */
    default Duration frontDoorWait() {
        return Duration.ofMillis(40);
    }

    /** The rows that are the effect of one message. */
    default List<String> parts() {
        return List.of("at once", "later");
    }

    /** Whether the message can only end as failed for good. */
    default boolean isPoison(Message message) {
        return false;
    }

    /** Whether every call is broken in turn; a path without is run once, for what it shows by itself. */
    default boolean takesFaults() {
        return true;
    }

    static Message message(String id, int nr) {
        // A source of its own, so that learning a new source is part of every story.
        return Message.of(id + "-" + nr, "OrderPlaced", "{\"nr\":" + nr + "}").from("/orders/" + id);
    }

    static Message conflicting(Message original) {
        return original.payload(Payload.json("{\"other\":true}"));
    }

    static Work failingAtFirst(Story story, String suffix) {
        return context -> {
            story.effect(context);
            if (context.attempt() == 1 && context.id().id().endsWith(suffix)) {
                throw new IllegalStateException("not yet");
            }
        };
    }

    /** The connection is gone for real. */
    static void cut(Story story, HandlerContext context) throws SQLException {
        Connection connection = story.world().database() == Database.POSTGRESQL
                ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                : context.connection().unwrap(org.h2.jdbc.JdbcConnection.class);
        connection.close();
    }

    /** On PostgreSQL through the unwrapped driver, where only the proof notices; on H2 in the open. */
    static void swallow(Story story, HandlerContext context) throws SQLException {
        Connection connection = story.world().database() == Database.POSTGRESQL
                ? context.connection().unwrap(org.postgresql.jdbc.PgConnection.class)
                : context.connection();
        try (PreparedStatement wrong = connection.prepareStatement("insert into taken (id) values (1)")) {
            wrong.execute();
        } catch (SQLException careless) {
            // and on it goes
        }
    }

    String name();

    /** All there are. */
    static List<Path> all() {
        return Stream.<Path[]>of(DirectPath.values(), StoredPath.values(), CommandPath.values())
                .flatMap(Stream::of)
                .toList();
    }

    static Path named(String name) {
        return all().stream()
                .filter(path -> path.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no path " + name + "; there are " + all()));
    }
}
