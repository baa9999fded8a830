// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.Inbox;
import java.lang.reflect.Field;
import java.util.List;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Does what an inbox puts off for a minute, such as forgetting, as soon as a test wants it. */
final class Backroom {

    private Backroom() {}

    /** Every chore that waits is done here and now; it is not done again when its time has come. */
    static void tidyUp(Inbox inbox) throws ReflectiveOperationException {
        Object maintenance = inside(inside(inbox, "inboxRuntime"), "maintenance");
        var backroom = (ScheduledThreadPoolExecutor) inside(maintenance, "backroom");
        for (Runnable chore : List.copyOf(backroom.getQueue())) {
            if (!((RunnableScheduledFuture<?>) chore).isPeriodic()) {
                chore.run();
            }
        }
    }

    private static Object inside(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }
}
