// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;

/**
 * What a command would be given.
 *
 * @param messages the first ones that match, in the order of arrival
 * @param matching how many match in all: a filter that is too wide shows here, before anything is done
 */
public record Preview(List<InboxMessage> messages, Count matching) {

    public Preview {
        messages = List.copyOf(messages);
    }

    /** All of them, as they were seen. */
    public List<MessageRef> refs() {
        return messages.stream().map(InboxMessage::ref).toList();
    }
}
