// SPDX-License-Identifier: Apache-2.0
package io.idembox.internal.engine;

import io.idembox.event.InboxEvent;
import io.idembox.event.InboxListener;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the listeners; a listener that throws harms nobody. Thread-safe. */
public final class EventPublisher {

    private static final Logger log = LoggerFactory.getLogger(EventPublisher.class);

    private final List<InboxListener> listeners;

    public EventPublisher(List<InboxListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    public void tell(InboxEvent event) {
        for (InboxListener listener : listeners) {
            try {
                listener.on(event);
            } catch (RuntimeException | Error thrown) {
                log.warn(
                        "Listener {} failed on {}; the inbox goes on. Mend the listener.",
                        listener.getClass().getName(),
                        event.getClass().getSimpleName(),
                        thrown);
            }
        }
    }
}
