// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import io.idembox.spi.Backlog;
import io.idembox.spi.RunningSource;
import java.util.List;
import java.util.function.Supplier;

/** A broker that brings nothing, and has what it is told to have. */
record QuietFeed(Supplier<Backlog> has) implements RunningSource {

    static QuietFeed empty() {
        return new QuietFeed(() -> new Backlog(List.of()));
    }

    @Override
    public Backlog backlog() {
        return has.get();
    }

    @Override
    public void pause(String why) {}

    @Override
    public void resume() {}

    @Override
    public void close() {}
}
