// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.idembox.InboxSchema;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What somebody took away from the tables is named, though their version is still right. */
class SchemaContentsDbTest extends DatabaseTest {

    private List<String> missing() {
        return InboxSchema.missing(database.dataSource(), null, InboxSchema.DEFAULT_PREFIX);
    }

    @Test
    void nothingIsMissingInWhatTheFilesMade() {
        assertThat(missing()).isEmpty();
    }

    @Test
    void viewsTablesColumnsAndIndexesThatAreGoneAreNamed() {
        database.run(
                "drop view idembox_inbox",
                "drop table idembox_note",
                "drop index idembox_entry_key",
                "alter table idembox_entry drop column forgiven");

        assertThat(missing())
                .contains(
                        "table idembox_note",
                        "column idembox_note.note",
                        "column idembox_entry.forgiven",
                        "view idembox_inbox",
                        "index idembox_entry_key")
                .doesNotContain("table idembox_entry", "column idembox_entry.state");
    }
}
