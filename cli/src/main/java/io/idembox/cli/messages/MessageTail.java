// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.messages;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessagePage;
import io.idembox.admin.Page;
import io.idembox.cli.output.Printer;
import io.idembox.cli.selection.MessageFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Follows arriving messages: polls each filter for messages after the last one shown. Not thread-safe. */
final class MessageTail {

    private final InboxAdmin admin;
    private final Printer.Rows rows;
    private final Map<Filter, Long> last = new HashMap<>();
    private int left;

    MessageTail(InboxAdmin admin, Printer.Rows rows, int limit) {
        this.admin = admin;
        this.rows = rows;
        this.left = limit;
    }

    /** Skips existing messages. They are read once; later polls read only new messages. */
    void skipExisting(List<Filter> filters) {
        for (Filter filter : filters) {
            last.put(filter, 0L);
            List<InboxMessage> page = next(filter);
            while (!page.isEmpty()) {
                last.put(filter, page.get(page.size() - 1).arrival());
                page = next(filter);
            }
        }
    }

    /** Prints new messages; returns whether to continue. */
    boolean poll(List<Filter> filters) {
        for (Filter filter : filters) {
            List<InboxMessage> page = next(filter);
            while (!page.isEmpty()) {
                for (InboxMessage message : page) {
                    rows.add(MessageFields.of(message));
                    last.put(filter, message.arrival());
                    if (--left == 0) {
                        return false;
                    }
                }
                page = next(filter);
            }
        }
        rows.flush();
        return true;
    }

    private List<InboxMessage> next(Filter filter) {
        MessagePage messagePage = admin.list(filter, new Page(last.getOrDefault(filter, 0L), InboxAdmin.LIMIT));
        return messagePage.messages();
    }
}
