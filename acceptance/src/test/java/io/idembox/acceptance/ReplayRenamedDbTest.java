// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.idembox.Inbox;
import io.idembox.Receipt;
import io.idembox.admin.Campaign;
import io.idembox.admin.CampaignOptions;
import io.idembox.admin.Campaigns;
import io.idembox.admin.Operation;
import io.idembox.admin.ReplayRange;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Mode;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import io.idembox.policy.Replay;
import io.idembox.policy.SequenceNumber;
import io.idembox.policy.SequencePolicy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A consumer is the same by all of its names, also for those who plan, begin and go on. */
class ReplayRenamedDbTest extends DatabaseTest {

    private static final ConsumerPolicy PROJECTION = ConsumerPolicy.defaults()
            .mode(Mode.STORED)
            .recording(Recording.FULL)
            .ordering(Ordering.HOLD)
            .sequence(SequencePolicy.by(SequenceNumber.header("place")).startingAt(1))
            .replay(Replay.NO_EFFECTS);

    private final Seen seen = new Seen();

    @BeforeEach
    void handleUnderTheOldName() {
        assumeTrue(isPostgres(), "a replay needs PostgreSQL");
        try (Inbox before = Inbox.on(database.dataSource())
                .consumer("old", PROJECTION)
                .listener(seen)
                .start()) {
            before.subscribe("old")
                    .on("OrderPlaced", String.class, (order, ctx) -> effect(ctx))
                    .start();
            before.store("old", message("1").keyed("a").header("place", "1"));
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 1);
        }
    }

    private Inbox.Builder renamed() {
        return Inbox.on(database.dataSource())
                .consumerAlias("new", "old")
                .consumer("new", PROJECTION)
                .listener(seen);
    }

    private static Operation operation(String id) {
        return new Operation(id, "anna", "because");
    }

    @Test
    @Tag("slow")
    void itsMessagesAreReplayedUnderTheNewName() {
        try (Inbox now = renamed().start()) {
            now.subscribe("new")
                    .on("OrderPlaced", String.class, (order, ctx) -> effect(ctx))
                    .start();
            ReplayRange all = ReplayRange.of("new");
            now.admin().replays().plan(all, CampaignOptions.defaults(), operation("rebuild"));
            assertThat(now.admin()
                            .replays()
                            .plan(all, CampaignOptions.defaults(), operation("rebuild"))
                            .wouldRun())
                    .as("the same plan again")
                    .isEqualTo(1);

            now.admin().replays().start("rebuild", operation("start"));
            now.admin().campaigns().advance("rebuild");
            seen.awaitAnswers(Receipt.Kind.COMPLETED, 2);
        }
        assertThat(database.count("effect")).isEqualTo(2);
    }

    @Test
    void aNodeThatWasOnlyGivenThePolicyBeginsAndGoesOn() {
        try (Inbox admin = renamed().start()) {
            admin.admin().replays().plan(ReplayRange.of("old"), CampaignOptions.defaults(), operation("rebuild"));
            admin.admin().replays().start("rebuild", operation("start"));
            Campaigns campaigns = admin.admin().campaigns();

            assertThat(campaigns.advance("rebuild").progress().given()).isEqualTo(1);
            assertThat(campaigns.cancel("rebuild", operation("enough")).state()).isEqualTo(Campaign.State.CANCELLED);
        }
    }
}
