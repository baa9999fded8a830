// SPDX-License-Identifier: Apache-2.0
package io.idembox.admin;

import java.util.List;
import java.util.Optional;

/**
 * A page of messages.
 *
 * @param messages in the order of arrival
 * @param next the next page; empty when this is the last one
 */
public record MessagePage(List<InboxMessage> messages, Optional<Page> next) {

    public MessagePage {
        messages = List.copyOf(messages);
    }
}
