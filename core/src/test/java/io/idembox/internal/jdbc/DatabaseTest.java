// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.InboxConfigurationException;
import java.lang.reflect.Proxy;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The values of the rows all contain "secret", and so does the statement: neither may survive. */
class DatabaseTest {

    @Nested
    class OnPostgres {

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                23505 | ERROR: duplicate key value violates unique constraint "t_pkey" | \
                        Detail: Key (id)=(secret) already exists.
                23503 | ERROR: insert or update on table "k" violates foreign key constraint "k_p_fkey" | \
                        Detail: Key (p)=(secret) is not present in table "p".
                23502 | ERROR: null value in column "n" of relation "t" violates not-null constraint | \
                        Detail: Failing row contains (secret, null).
                23514 | ERROR: new row for relation "t" violates check constraint "small" | \
                        Detail: Failing row contains (secret, 99).
                23P01 | ERROR: conflicting key value violates exclusion constraint "x" | \
                        Detail: Key (r)=(secret) conflicts with existing key (r)=(secret).
                42703 | ERROR: column "colour" does not exist | \
                        Hint: Perhaps you meant "secret".
                22P02 | ERROR: invalid input syntax for type json | \
                        Detail: Token "secret" is invalid.
                40P01 | ERROR: deadlock detected | \
                        Detail: Process 1 waits for ShareLock on secret.
                """)
        void theDetailIsDropped(String state, String primary, String rest) {
            SQLException error = new SQLException(primary + "\n  " + rest + "\n  Position: 13", state);

            assertThat(Database.POSTGRESQL.primaryMessage(error)).isEqualTo(primary);
        }

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                22P02 | ERROR: invalid input syntax for type integer: "secret" | \
                        ERROR: invalid input syntax for type integer: …
                22P02 | ERROR: invalid input value for enum mood: "secret" | \
                        ERROR: invalid input value for enum mood: …
                22003 | ERROR: value "secret" is out of range for type integer   | ERROR: value …
                22008 | ERROR: date/time field value out of range: "secret" | \
                        ERROR: date/time field value out of range: …
                22001 | ERROR: value too long for type character varying(3) | \
                        ERROR: value too long for type character varying(3)
                """)
        void whatIsWrongWithTheDataIsSaidWithoutTheData(String state, String primary, String expected) {
            SQLException error = new SQLException(primary + "\n  Where: unnamed portal parameter $1 = 'secret'", state);
            BatchUpdateException batch = new BatchUpdateException("Batch entry 0 'secret'", state, new int[0]);
            batch.setNextException(error);

            assertThat(Database.POSTGRESQL.primaryMessage(error)).isEqualTo(expected);
            assertThat(Database.POSTGRESQL.primaryMessage(batch)).isEqualTo(expected);
        }

        @Test
        void theTextOfABatchIsDropped() {
            BatchUpdateException batch = batch("Batch entry 0 insert into t values ('secret') was aborted: ERROR:"
                    + " duplicate key value violates unique constraint \"t_pkey\"\n  Detail: Key (id)=(secret) already"
                    + " exists.  Call getNextException to see other errors in the batch.");
            batch.setNextException(new SQLException(
                    "ERROR: duplicate key value violates unique constraint \"t_pkey\"\n  Detail: Key"
                            + " (id)=(secret) already exists.",
                    "23505"));

            assertThat(Database.POSTGRESQL.primaryMessage(batch))
                    .isEqualTo("ERROR: duplicate key value violates unique constraint \"t_pkey\"");
        }
    }

    @Nested
    class OnH2 {

        @ParameterizedTest
        @CsvSource(delimiter = '|', textBlock = """
                23505 | Unique index or primary key violation: "PUBLIC.CONSTRAINT_5 \
                        INDEX PUBLIC.PRIMARY_KEY_5 ON PUBLIC.P(ID) VALUES ( /* 1 */ 'secret' )" | \
                        Unique index or primary key violation: PUBLIC.CONSTRAINT_5
                23505 | Unique index or primary key violation: "PUBLIC.""odd key"" \
                        INDEX PUBLIC.""odd key_INDEX_6"" ON PUBLIC.""odd name""(ID NULLS FIRST) \
                        VALUES ( /* 1 */ 'secret' )" | \
                        Unique index or primary key violation: PUBLIC.
                23506 | Referential integrity constraint violation: "CONSTRAINT_4: PUBLIC.K \
                        FOREIGN KEY(P) REFERENCES PUBLIC.P(ID) ('secret')" | \
                        Referential integrity constraint violation: CONSTRAINT_4
                23503 | Referential integrity constraint violation: "CONSTRAINT_4: PUBLIC.K \
                        FOREIGN KEY(P) REFERENCES PUBLIC.P(ID) ('secret')" | \
                        Referential integrity constraint violation: CONSTRAINT_4
                23502 | NULL not allowed for column "N" | \
                        NULL not allowed for column N
                23513 | Check constraint violation: "SMALL: " | \
                        Check constraint violation: SMALL
                23513 | Check constraint violation: "(VALUE < 'secret')" | \
                        Check constraint violation:
                22018 | Data conversion error converting "secret" | \
                        Data conversion error converting
                22001 | Value too long for column "ID CHARACTER VARYING(3)": "'secret' (6)" | \
                        Value too long for column
                22007 | Cannot parse "DATE" constant "secret"                             | Cannot parse
                22012 | Division by zero: "secret"                                        | Division by zero:
                42001 | Syntax error in SQL statement "[*]selec 'secret'"; expected "SAVEPOINT" | \
                        Syntax error in SQL statement
                """, quoteCharacter = '`')
        void onlyTheNameOfWhatWasViolatedIsKept(String state, String text, String expected) {
            SQLException error = new SQLException(
                    text + "; SQL statement:\ninsert into t values ('secret') [" + state + "-252]", state);

            assertThat(Database.H2.primaryMessage(error).strip()).isEqualTo(expected);
        }

        @Test
        void theStatementIsDropped() {
            SQLException oneLine = new SQLException("Timeout; SQL statement: update t set a = 'secret'", "HYT00");
            SQLException twoLines = new SQLException("Timeout; SQL statement:\nupdate t set a = 'secret'", "HYT00");

            assertThat(Database.H2.primaryMessage(oneLine)).isEqualTo("Timeout");
            assertThat(Database.H2.primaryMessage(twoLines)).isEqualTo("Timeout");
        }

        @Test
        void theTextOfABatchIsDropped() {
            String text = "Unique index or primary key violation: \"PUBLIC.C5 ON PUBLIC.P(ID) VALUES ('secret')\"";
            BatchUpdateException batch = new BatchUpdateException(text, "23505", new int[0]);
            batch.setNextException(new SQLException(text, "23505"));

            assertThat(Database.H2.primaryMessage(batch)).isEqualTo("Unique index or primary key violation: PUBLIC.C5");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBatchWithoutAnErrorOfItsOwnSaysNothing(Database database) {
        assertThat(database.primaryMessage(batch("insert into t values ('secret')")))
                .isEqualTo("A batch of writes failed");
    }

    @ParameterizedTest
    @EnumSource
    void aBatchInABatchIsOpened(Database database) {
        BatchUpdateException inner = batch("inner secret");
        inner.setNextException(new SQLException("the server's own\n  Detail: secret", "22000"));
        BatchUpdateException outer = batch("outer secret");
        outer.setNextException(inner);

        assertThat(database.primaryMessage(outer)).isEqualTo("the server's own");
    }

    @ParameterizedTest
    @EnumSource
    void anErrorWithoutTextOrStateHarmsNothing(Database database) {
        assertThat(database.primaryMessage(new SQLException())).isEmpty();
        assertThat(database.primaryMessage(new SQLException("", (String) null))).isEmpty();
        assertThat(database.primaryMessage(new SQLException("plain"))).isEqualTo("plain");
        assertThat(database.primaryMessage(new SQLException("\nDetail: secret")))
                .isEmpty();
    }

    @Test
    void databasesAreToldByTheirProductName() throws SQLException {
        assertThat(Database.of(connectionTo("PostgreSQL"))).isEqualTo(Database.POSTGRESQL);
        assertThat(Database.of(connectionTo("H2"))).isEqualTo(Database.H2);
    }

    @Test
    void otherDatabasesAreRefusedByName() {
        assertThatThrownBy(() -> Database.of(connectionTo("Oracle")))
                .isInstanceOf(InboxConfigurationException.class)
                .hasMessageContaining("Oracle");
    }

    @Test
    void eachHasAFolderWithItsSchemaFiles() {
        assertThat(Database.POSTGRESQL.folder()).isEqualTo("postgresql");
        assertThat(Database.H2.folder()).isEqualTo("h2");
        for (Database database : Database.values()) {
            assertThat(Schema.print(database.folder(), "in_", 0))
                    .contains("in_ledger")
                    .doesNotContain("idembox_");
            assertThat(Schema.print(database.folder(), "in_", Schema.VERSION)).isEmpty();
        }
    }

    @Test
    void ddlCommitsOnH2Only() {
        assertThat(Database.H2.ddlCommits()).isTrue();
        assertThat(Database.POSTGRESQL.ddlCommits()).isFalse();
    }

    private static BatchUpdateException batch(String text) {
        return new BatchUpdateException(text, "23505", new int[0]);
    }

    private static Connection connectionTo(String product) {
        DatabaseMetaData metaData = answering(DatabaseMetaData.class, "getDatabaseProductName", product);
        return answering(Connection.class, "getMetaData", metaData);
    }

    private static <T> T answering(Class<T> type, String question, Object answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            @Nullable Object found = method.getName().equals(question) ? answer : null;
            return found;
        }));
    }
}
