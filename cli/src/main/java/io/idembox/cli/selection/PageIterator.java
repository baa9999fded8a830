// SPDX-License-Identifier: Apache-2.0
package io.idembox.cli.selection;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessagePage;
import io.idembox.admin.Page;
import java.util.function.Predicate;

/** Reads matching messages page by page, in the order of arrival. */
public final class PageIterator {

    private PageIterator() {}

    /**
     * Passes each matching message to a callback.
     *
     * @param goOn receives each message; returns false to stop
     * @return whether all messages were read
     */
    public static boolean forEach(InboxAdmin admin, Filter filter, int pageSize, Predicate<InboxMessage> goOn) {
        Page page = Page.first(Math.min(pageSize, InboxAdmin.LIMIT));
        while (true) {
            MessagePage messagePage = admin.list(filter, page);
            for (InboxMessage message : messagePage.messages()) {
                if (!goOn.test(message)) {
                    return false;
                }
            }
            if (messagePage.next().isEmpty()) {
                return true;
            }
            page = messagePage.next().get();
        }
    }
}
