// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.idembox.Inbox;
import io.idembox.InboxSchema;
import io.idembox.audit.AuditKey;
import io.idembox.policy.Policies;
import io.idembox.policy.yaml.PolicyFile;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A connection pool for the configured database, and a builder for an inbox on it. The caller closes it. */
public final class DatabaseSession implements AutoCloseable {

    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);
    private static final int POOL_SIZE = 3;

    private final GlobalOptions options;
    private final HikariDataSource connections;
    private final Policies policies;
    private final Optional<AuditKey> auditKey;

    private DatabaseSession(
            GlobalOptions options, HikariDataSource connections, Policies policies, Optional<AuditKey> auditKey) {
        this.options = options;
        this.connections = connections;
        this.policies = policies;
        this.auditKey = auditKey;
    }

    static DatabaseSession open(GlobalOptions options, CommandEnvironment environment) {
        DatabaseAddress address = DatabaseAddress.of(options, environment.environment());
        Policies policies = options.policies == null
                ? Policies.none()
                : PolicyFile.read(
                        options.policies,
                        name -> Optional.ofNullable(environment.environment().get(name)));
        Optional<AuditKey> auditKey = AuditKeys.current(options, environment.environment());
        HikariConfig config = new HikariConfig();
        config.setPoolName("idembox");
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(CONNECTION_TIMEOUT.toMillis());
        try {
            config.setJdbcUrl(address.url());
            config.setUsername(address.user());
            config.setPassword(address.password());
            return new DatabaseSession(options, new HikariDataSource(config), policies, auditKey);
        } catch (RuntimeException away) {
            throw CommandException.unavailable(
                    "Cannot connect to database " + address + ": " + rootCauseMessage(away), away);
        }
    }

    /** The message of the innermost cause. */
    private static String rootCauseMessage(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof UnknownHostException) {
            return "unknown host " + cause.getMessage();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** A builder with the configured schema, table prefix, policies and audit key. */
    public Inbox.Builder inbox() {
        Inbox.Builder builder =
                Inbox.on(connections).tablePrefix(options.tablePrefix).policies(policies);
        auditKey.ifPresent(builder::auditKey);
        return options.schema == null ? builder : builder.schema(options.schema);
    }

    /** {@code postgresql} or {@code h2}, as in the names of the schema files. */
    public String kind() {
        String[] parts = connections.getJdbcUrl().split(":", 3);
        return parts[1].toLowerCase(Locale.ROOT);
    }

    /** Tables, views and other objects of the schema files that this database lacks. */
    public List<String> missing() {
        return InboxSchema.missing(connections, options.schema, options.tablePrefix);
    }

    public String tablePrefix() {
        return options.tablePrefix;
    }

    Policies policies() {
        return policies;
    }

    @Override
    public void close() {
        connections.close();
    }
}
