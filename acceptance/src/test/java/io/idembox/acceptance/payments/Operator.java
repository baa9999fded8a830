// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.payments;

import io.idembox.admin.Filter;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessagePage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Operation;
import io.idembox.admin.Page;
import io.idembox.admin.Report;
import io.idembox.admin.Status;
import io.idembox.testkit.provider.PaymentProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Somebody who looks after charges that were set aside, with what people have: the door for people, and the books of the provider.
 * Not thread-safe.
 */
final class Operator {

    private static final String CRASH = "CRASH";

    private final InboxAdmin admin;
    private final PaymentProvider provider;
    private final Scenario scenario;
    private int redriven;
    private int discarded;
    private int purchases;

    Operator(InboxAdmin admin, PaymentProvider provider, Scenario scenario) {
        this.admin = admin;
        this.provider = provider;
        this.scenario = scenario;
    }

    /** All charges that are set aside, as people see them. */
    List<InboxMessage> setAside() {
        return parked(PaymentWorker.CHARGES);
    }

    /** Three processes ended with a purchase in hand: it is handled again. Whether there was any. */
    boolean redrivePurchases() {
        List<MessageRef> crashed = parked(PaymentWorker.SHOP).stream()
                .filter(message -> CRASH.equals(message.progress().reason()))
                .map(InboxMessage::ref)
                .toList();
        purchases += give(crashed, "the processes are well again", admin::redrive);
        return !crashed.isEmpty();
    }

    private List<InboxMessage> parked(String consumer) {
        List<InboxMessage> all = new ArrayList<>();
        Optional<Page> page = Optional.of(Page.first(InboxAdmin.LIMIT));
        while (page.isPresent()) {
            MessagePage messagePage = admin.list(Filter.of(consumer).status(Status.PARKED), page.get());
            all.addAll(messagePage.messages());
            page = messagePage.next();
        }
        return all;
    }

    /**
     * Decides about each of them: what the provider has in its books is discarded, the rest is redriven. Where keys or questions
     * protect, nobody has to look: everything is redriven.
     */
    void decide(List<InboxMessage> setAside) {
        List<MessageRef> done = new ArrayList<>();
        List<MessageRef> open = new ArrayList<>();
        for (InboxMessage each : setAside) {
            boolean charged = !provider.chargesOf(each.id().id()).isEmpty();
            (scenario.asksAHuman() && charged ? done : open).add(each.ref());
        }
        discarded += give(done, "the provider has charged it", admin::discard);
        redriven += give(open, "the provider has not charged it", admin::redrive);
    }

    private static int give(List<MessageRef> ref, String why, BiFunction<List<MessageRef>, Operation, Report> command) {
        for (int from = 0; from < ref.size(); from += InboxAdmin.LIMIT) {
            List<MessageRef> some = ref.subList(from, Math.min(ref.size(), from + InboxAdmin.LIMIT));
            Report report = command.apply(some, Operation.of("operator", why));
            if (!report.refused().isEmpty()) {
                throw new IllegalStateException("The operator was refused: " + report.refused());
            }
        }
        return ref.size();
    }

    int redriven() {
        return redriven;
    }

    int discarded() {
        return discarded;
    }

    /** How many purchases were handled again. */
    int purchases() {
        return purchases;
    }
}
