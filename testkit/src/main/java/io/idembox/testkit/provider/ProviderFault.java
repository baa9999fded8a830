// SPDX-License-Identifier: Apache-2.0
package io.idembox.testkit.provider;

/** What may go wrong with a request. */
public enum ProviderFault {
    /** Nothing. */
    NONE,
    /** It is done, and the connection is closed without an answer. */
    ANSWER_LOST,
    /** It is done, and the answer comes when the client has given up. */
    ANSWER_LATE,
    /** It is not done: 503, with a {@code Retry-After} of no seconds. */
    REFUSED
}
