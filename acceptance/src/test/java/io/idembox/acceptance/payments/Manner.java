// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.intent.Intent;
import io.idembox.intent.ReconcileResult;
import io.idembox.intent.ReconcilingSender;
import io.idembox.intent.SendResult;
import io.idembox.intent.http.HttpCall;
import java.util.Locale;
import java.util.UUID;

/**
 * How the senders go about it: as the library's own does, or in a way they must not, in the scenario in which that does harm. The
 * books of the provider have to show it.
 */
enum Manner {
    SOUND(Scenario.KEYS),

    /** Every try has a key of its own, so the provider takes them for different charges. */
    FRESH_KEYS(Scenario.KEYS) {
        @Override
        SendResult send(ReconcilingSender<HttpCall> sender, Intent<HttpCall> intent) throws Exception {
            return sender.send(new Intent<>(
                    intent.consumer(),
                    intent.name(),
                    UUID.randomUUID().toString(),
                    intent.request(),
                    intent.headers(),
                    intent.cause(),
                    intent.history()));
        }
    },

    /** Who got no answer says that nothing was done. */
    UNKNOWN_IS_RETRY(Scenario.PARK) {
        @Override
        SendResult send(ReconcilingSender<HttpCall> sender, Intent<HttpCall> intent) throws Exception {
            SendResult said = sender.send(intent);
            return said instanceof SendResult.Unknown unknown ? SendResult.retry(unknown.why()) : said;
        }
    },

    /** Whatever it is asked about, it finds nothing, as one with a wrong path does. */
    BLIND_QUESTIONS(Scenario.RECONCILE_WITHOUT_KEYS) {
        @Override
        ReconcileResult reconcile(ReconcilingSender<HttpCall> sender, Intent<HttpCall> intent) {
            return ReconcileResult.notSent();
        }
    };

    private final Scenario harmful;

    Manner(Scenario harmful) {
        this.harmful = harmful;
    }

    /** Where it does harm. */
    Scenario harmful() {
        return harmful;
    }

    SendResult send(ReconcilingSender<HttpCall> sender, Intent<HttpCall> intent) throws Exception {
        return sender.send(intent);
    }

    ReconcileResult reconcile(ReconcilingSender<HttpCall> sender, Intent<HttpCall> intent) throws Exception {
        return sender.reconcile(intent);
    }

    /** As it is said on the command line. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
