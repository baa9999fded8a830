// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The JDBC URL and credentials. The password comes from the environment or a file, never from the command line:
 * shells keep its history, and {@code ps} shows it to every user of the machine.
 *
 * @param user null for the driver's default
 * @param password null for the driver's default
 */
record DatabaseAddress(
        String url, @Nullable String user, @Nullable String password) {

    private static final Pattern SECRET = Pattern.compile("[?&;](user|[a-z]*password)=");
    private static final Pattern USER_INFO = Pattern.compile("//[^/?;]*@");

    DatabaseAddress {
        String seen = decoded(url).toLowerCase(Locale.ROOT);
        if (!seen.startsWith("jdbc:")) {
            throw CommandException.usage(
                    "The database URL must start with jdbc:, for example jdbc:postgresql://host/name.");
        }
        // The URL is not repeated: it may contain a secret.
        if (SECRET.matcher(seen).find() || USER_INFO.matcher(seen).find()) {
            throw CommandException.usage(
                    "The database URL must not contain a user or password. Pass the user with --user or"
                            + " IDEMBOX_USER, the password with IDEMBOX_PASSWORD or --password-file.");
        }
    }

    static DatabaseAddress of(GlobalOptions options, Map<String, String> environment) {
        String user = first(options.user, environment, "IDEMBOX_USER", "PGUSER").orElse(null);
        String url = first(options.jdbc, environment, "IDEMBOX_JDBC_URL")
                .or(() -> fromPostgresVariables(environment, user))
                .orElseThrow(() -> CommandException.usage(
                        "No database configured. Use --jdbc jdbc:postgresql://host/name, or set IDEMBOX_JDBC_URL, or"
                                + " PGHOST and PGDATABASE."));
        String password = options.passwordFile == null
                ? first(null, environment, "IDEMBOX_PASSWORD", "PGPASSWORD").orElse(null)
                : firstLine(options.passwordFile);
        return new DatabaseAddress(url, user, password);
    }

    /** The option's value, or else the first environment variable that is set. */
    private static Optional<String> first(@Nullable String said, Map<String, String> environment, String... variables) {
        return Stream.concat(
                        Stream.ofNullable(said),
                        Stream.of(variables).flatMap(name -> Stream.ofNullable(environment.get(name))))
                .filter(text -> !text.isEmpty())
                .findFirst();
    }

    private static Optional<String> fromPostgresVariables(Map<String, String> environment, @Nullable String user) {
        String host = environment.getOrDefault("PGHOST", "");
        String database = environment.getOrDefault("PGDATABASE", host.isEmpty() || user == null ? "" : user);
        if (host.isEmpty() && database.isEmpty()) {
            return Optional.empty();
        }
        if (host.startsWith("/")) {
            throw CommandException.usage("PGHOST is a socket directory, but Java needs a host name. Use --jdbc.");
        }
        return Optional.of("jdbc:postgresql://" + (host.isEmpty() ? "localhost" : host) + ":"
                + environment.getOrDefault("PGPORT", "5432") + "/" + database);
    }

    private static String firstLine(Path file) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.findFirst().orElse("");
        } catch (IOException | UncheckedIOException unreadable) {
            throw CommandException.usage(
                    "The password file " + file + " cannot be read: " + FileErrorText.reason(unreadable));
        }
    }

    private static String decoded(String url) {
        try {
            return URLDecoder.decode(url, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException notEncoded) {
            return url;
        }
    }

    /** URL and user, without the password. */
    @Override
    public String toString() {
        return url + (user == null ? "" : " as " + user);
    }
}
