// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.HandlerContext;
import io.idembox.InboxHandler;
import io.idembox.internal.jdbc.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Function;

/** What handlers of the stories do, beside having their effect. */
final class Works {

    private Works() {}

    /** Has its effect, and fails the first time with messages whose ids end like that. */
    static Function<Story, InboxHandler> failingAtFirst(String suffix) {
        return story -> context -> {
            story.effect(context);
            if (context.attempt() == 1 && isFor(context, suffix)) {
                throw new IllegalStateException("not yet");
            }
        };
    }

    /** Has its effect, and always fails with messages whose ids end like that. */
    static Function<Story, InboxHandler> failingWith(String suffix) {
        return story -> context -> {
            story.effect(context);
            if (isFor(context, suffix)) {
                throw new IllegalStateException("poison");
            }
        };
    }

    static boolean isFor(HandlerContext context, String suffix) {
        return context.id().id().endsWith(suffix);
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
}
