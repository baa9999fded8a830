// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A data source that can do something right before it hands out the next connection. */
final class Hook {

    private final AtomicReference<Runnable> next = new AtomicReference<>();
    private final DataSource dataSource;

    Hook(DataSource real) {
        this.dataSource = Rewriting.beforeConnecting(real, () -> {
            Runnable action = next.getAndSet(null);
            if (action != null) {
                action.run();
            }
        });
    }

    DataSource dataSource() {
        return dataSource;
    }

    void next(Runnable action) {
        next.set(action);
    }
}
