// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to a message whose type or version no handler is registered for. */
public enum UnknownType {
    /** Set aside with its body, so that it can be redriven once a handler exists. */
    PARK,
    /** FAILED_TERMINAL with its body. */
    FAIL
}
