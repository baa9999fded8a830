// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;

/**
 * The messages that a command would get.
 *
 * @param messages the first ones that match, in the order of arrival
 * @param matching how many match in total, which shows a filter that is too wide before anything is changed
 */
public record Preview(List<InboxMessage> messages, Count matching) {

    public Preview {
        messages = List.copyOf(messages);
    }

    /** Returns all of them at the version that was previewed. */
    public List<MessageRef> refs() {
        return messages.stream().map(InboxMessage::ref).toList();
    }
}
