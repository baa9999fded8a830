// SPDX-License-Identifier: Apache-2.0
package io.idembox.policy;

/** What happens to a message without a registered handler for its type and version. */
public enum UnknownType {
    /** Parked with its body, so that it can be redriven once a handler exists. */
    PARK,
    /** FAILED_TERMINAL with its body. */
    FAIL
}
