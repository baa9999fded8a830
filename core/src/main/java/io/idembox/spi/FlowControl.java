// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/**
 * Pauses and resumes the deliveries of a broker connection. Called from several threads, one call at a time; must
 * return quickly. A call that throws is repeated a second later. A delivery that arrives while paused is answered BUSY.
 */
public interface FlowControl {

    /** Stops delivering messages until {@link #resume}. */
    void pause(String why);

    /** Delivers messages again. */
    void resume();
}
