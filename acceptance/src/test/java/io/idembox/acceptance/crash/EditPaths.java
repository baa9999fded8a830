// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import io.idembox.MessageId;
import io.idembox.Payload;
import io.idembox.admin.Command;
import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Report;
import io.idembox.admin.StoredPayload;
import io.idembox.policy.Ordering;
import io.idembox.policy.Recording;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Paths of what people write and read: revisions, notes, payloads. */
final class EditPaths {

    private static final Payload MENDED = Payload.json("{\"nr\":1,\"mended\":true}");

    private EditPaths() {}

    static List<Path> all() {
        return List.of(edited(), noted());
    }

    /** Nobody can handle the first of a key, which holds the second. Somebody edits it, and redrives it. */
    private static Path edited() {
        return Path.stored("edited", Path.ofOneKey(2))
                .withMainFaults()
                .policy(Path.DIRECT.retry(Path.TWICE).ordering(Ordering.HOLD).recording(Recording.FULL))
                .before(story -> {
                    Node sound = story.soundNode();
                    sound.store(story.broker(), story.broker().unacknowledged());
                    sound.work(story.work());
                    story.see("-1");
                })
                .insist(EditPaths::editAndRedrive)
                .act((story, node) -> {
                    editAndRedrive(story, node);
                    node.work(story.work());
                })
                .until(story -> story.isDone("redrive"))
                .work(story -> context -> {
                    story.effect(context);
                    if (Works.isFor(context, "-1")
                            && !context.message().payload().equals(MENDED)) {
                        throw new IllegalStateException("no number");
                    }
                })
                .always(EditPaths::wrongRevisions)
                .inTheEnd(story -> whatIsKept(story).or(() -> Books.trail(story, "edit", "redrive")));
    }

    private static void editAndRedrive(Story story, Node node) {
        Report edit = node.admin().edit(story.seen("-1").get(0), MENDED, story.operation("edit"));
        story.complainUnless(edit.done() == 1, "whoever edited was told " + edit.lines());
        List<MessageRef> now = story.soundNode().see("-1");
        if (!now.isEmpty()) {
            Report redrive = node.command(Command.REDRIVE, now, story.operation("redrive"));
            story.complainUnless(redrive.done() == 1, "whoever redrove was told " + redrive.lines());
        }
    }

    /** There are as many revisions as somebody has answered for. */
    private static Optional<String> wrongRevisions(Story story) {
        List<String> revisions = story.world().list("select revision from idembox_body where revision > 0");
        List<String> edits =
                story.world().list("select operation_id from idembox_operation where kind = 'EDIT' and done = 1");
        return revisions.size() == edits.size()
                ? Books.whole(story)
                : Optional.of("torn: there are revisions " + revisions + " and edits " + edits);
    }

    /** What came is kept beside what was made of it, and a duplicate of what came conflicts with nothing. */
    private static Optional<String> whatIsKept(Story story) {
        Payload original = story.broker().sent().get(0).payload();
        List<String> sizes = story.world()
                .list(
                        "select octet_length(b.payload) from idembox_body b join idembox_inbox i on i.arrival = b.arrival"
                                + " where i.message_id = ? order by b.revision",
                        story.broker().sent().get(0).id().orElseThrow());
        if (!sizes.equals(List.of(String.valueOf(original.size()), String.valueOf(MENDED.size())))) {
            return Optional.of("lost: the revisions have " + sizes + " bytes");
        }
        List<String> conflicts = story.world().list("select message_id from idembox_inbox where reason = 'CONFLICT'");
        return conflicts.isEmpty()
                ? Optional.empty()
                : Optional.of("doubled: what came again is taken for another payload of " + conflicts);
    }

    /** A message failed for good. Somebody writes down why, changes his mind, and reads what it brought. */
    private static Path noted() {
        return Path.stored("noted", Path.messages(1))
                .withMainFaults()
                .policy(Path.DIRECT.retry(Path.TWICE))
                .before(story -> {
                    Node sound = story.soundNode();
                    sound.store(story.broker(), story.broker().unacknowledged());
                    sound.work(story.work());
                })
                .insist(EditPaths::writeAndRead)
                .act(EditPaths::writeAndRead)
                .until(story -> story.isDone("read"))
                .work(Works.failingWith("-1"))
                .ends("-1", End.FAILED)
                .failures(2)
                .always(EditPaths::wrongNote)
                .inTheEnd(story -> Books.trail(story, "note", "second-note", "read"));
    }

    private static void writeAndRead(Story story, Node node) {
        UUID group = story.soundNode()
                .admin()
                .failureGroups(Filter.of(Node.CONSUMER), 1)
                .get(0)
                .id();
        InboxAdmin admin = node.admin();
        admin.note(Node.CONSUMER, group, "the bank is closed", story.operation("note"));
        admin.note(Node.CONSUMER, group, "the bank is open again", story.operation("second-note"));
        Message message = story.broker().sent().get(0);
        MessageId id = new MessageId(message.source(), message.id().orElseThrow());
        Optional<StoredPayload> read = admin.payload(Node.CONSUMER, id, story.operation("read"));
        story.complainUnless(story.isDone("read"), "a payload was handed out, and nobody wrote down to whom");
        story.complainUnless(
                read.map(StoredPayload::payload).equals(Optional.of(message.payload())), "whoever read it got " + read);
    }

    /** The note is what was last written down in the trail. */
    private static Optional<String> wrongNote(Story story) {
        List<String> notes = story.world().list("select note from idembox_note");
        List<String> written =
                story.world().list("select filter from idembox_operation where kind = 'NOTE' order by number desc");
        boolean none = notes.isEmpty() && written.isEmpty();
        boolean same = none
                || (notes.size() == 1 && !written.isEmpty() && written.get(0).endsWith("note: " + notes.get(0)));
        return same
                ? Books.whole(story)
                : Optional.of("torn: there are notes " + notes + ", and the trail says " + written);
    }
}
