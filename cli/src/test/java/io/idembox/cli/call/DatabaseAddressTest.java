// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The database URL and credentials; secrets on the command line are refused. */
class DatabaseAddressTest {

    private final GlobalOptions options = new GlobalOptions();

    @Test
    void optionsOverrideTheEnvironment() {
        Map<String, String> environment = Map.of(
                "IDEMBOX_JDBC_URL", "jdbc:postgresql://env/a", "PGHOST", "pg", "IDEMBOX_USER", "env", "PGUSER", "pg");
        assertThat(DatabaseAddress.of(options, environment))
                .isEqualTo(new DatabaseAddress("jdbc:postgresql://env/a", "env", null));

        options.jdbc = "jdbc:postgresql://typed/b";
        options.user = "typed";

        assertThat(DatabaseAddress.of(options, environment))
                .isEqualTo(new DatabaseAddress("jdbc:postgresql://typed/b", "typed", null));
    }

    @Test
    void postgresVariablesAreAccepted() {
        Map<String, String> environment =
                Map.of("PGHOST", "db", "PGPORT", "5433", "PGDATABASE", "shop", "PGUSER", "ops", "PGPASSWORD", "secret");

        assertThat(DatabaseAddress.of(options, environment))
                .isEqualTo(new DatabaseAddress("jdbc:postgresql://db:5433/shop", "ops", "secret"));
        assertThat(DatabaseAddress.of(options, Map.of("PGDATABASE", "shop")).url())
                .isEqualTo("jdbc:postgresql://localhost:5432/shop");
    }

    @Test
    void passwordIsFirstLineOfFile(@TempDir Path directory) throws Exception {
        options.jdbc = "jdbc:postgresql://db/shop";
        options.passwordFile = Files.writeString(directory.resolve("password"), "s3cret\n");

        DatabaseAddress address = DatabaseAddress.of(options, Map.of("IDEMBOX_PASSWORD", "other"));

        assertThat(address.password()).isEqualTo("s3cret");
        assertThat(address).asString().doesNotContain("s3cret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/shop?password=s3cret",
                "jdbc:postgresql://db/shop?ssl=true&PassWord=s3cret",
                "jdbc:postgresql://db/shop?pass%77ord=s3cret",
                "jdbc:postgresql://db/shop?sslpassword=s3cret",
                "jdbc:postgresql://db/shop?user=s3cret",
                "jdbc:postgresql://ops:s3cret@db/shop",
                "jdbc:postgresql://s3cret@db/shop",
                "jdbc:h2:file:./x;PASSWORD=s3cret",
                "postgres://ops:s3cret@db/shop"
            })
    void urlWithSecretIsRefusedAndNotRepeated(String url) {
        options.jdbc = url;

        assertThatThrownBy(() -> DatabaseAddress.of(options, Map.of()))
                .isInstanceOfSatisfying(
                        CommandException.class,
                        refused -> assertThat(refused.exitCode()).isEqualTo(2))
                .message()
                .doesNotContain("s3cret", "\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db/shop?sslmode=require&passfile=/run/pass",
                "jdbc:postgresql://a:1,b:2/shop?targetServerType=primary",
                "jdbc:h2:file:./mail@home;WRITE_DELAY=0",
                "jdbc:postgresql:shop"
            })
    void urlWithoutSecretIsAccepted(String url) {
        options.jdbc = url;

        assertThat(DatabaseAddress.of(options, Map.of()).url()).isEqualTo(url);
    }

    @Test
    void missingDatabaseIsReported() {
        assertThatThrownBy(() -> DatabaseAddress.of(options, Map.of())).hasMessageContaining("--jdbc");
        assertThatThrownBy(() -> DatabaseAddress.of(options, Map.of("PGHOST", "/run/postgresql", "PGDATABASE", "x")))
                .hasMessageContaining("socket directory");
    }
}
