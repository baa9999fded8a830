// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

/** A fault of the provider for one request. */
public enum ProviderFault {
    /** No fault. */
    NONE,
    /** The charge is made, and the connection is closed without an answer. */
    ANSWER_LOST,
    /** The charge is made, and the answer comes after the client's timeout. */
    ANSWER_LATE,
    /** The charge is not made: 503, with a {@code Retry-After} of 0 seconds. */
    REFUSED
}
