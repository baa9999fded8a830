// SPDX-License-Identifier: Apache-2.0
package gate;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Uses what only comes along. */
public final class UsesUndeclared {
    private static final Logger LOG = LoggerFactory.getLogger(UsesUndeclared.class);

    private UsesUndeclared() {}

    public static void say() {
        LOG.info("said");
    }
}
