// SPDX-License-Identifier: Apache-2.0
package io.idembox.spi;

/**
 * The broker side of a consumer, as far as it can be told to bring nothing for a while. Called from several threads, one
 * call at a time; must be quick. One that throws is told again a second later. A delivery that is on its way all the same is answered BUSY.
 */
public interface FlowControl {

    /** Nothing can be handled now. */
    void pause(String why);

    /** Bring messages again. */
    void resume();
}
