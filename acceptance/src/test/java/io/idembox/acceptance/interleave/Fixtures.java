// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.interleave;

import java.util.List;

/** All fixtures. */
final class Fixtures {

    private static final List<Fixture> ALL = List.of(
            StoredFixture.fixture(),
            DirectFixture.inOrder(),
            DirectFixture.inAnyOrder(),
            SequenceFixture.stored(),
            SequenceFixture.direct(),
            OutboxFixture.fixture(),
            AuditFixture.fixture());

    private Fixtures() {}

    static List<Fixture> all() {
        return ALL;
    }

    static Fixture named(String name) {
        return ALL.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no fixture " + name + "; there are " + ALL));
    }
}
