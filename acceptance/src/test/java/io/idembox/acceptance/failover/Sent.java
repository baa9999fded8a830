// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.failover;

/** One record of a topic, as it was read from there. A message that was sent twice has two. */
record Sent(Name name, String key, int partition, long offset) {

    /** Which message it is: what the inbox handles once. */
    record Name(String source, String id) {

        @Override
        public String toString() {
            return source + " " + id;
        }
    }
}
