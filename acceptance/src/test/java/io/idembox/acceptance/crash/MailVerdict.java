// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance.crash;

import io.idembox.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Looks at the database and at those outside: did everything that was committed go out, and nothing else? */
final class MailVerdict {

    private static final List<String> PARTS = List.of("at once", "later");

    private final World world;
    private final Outside outside;
    private final Mail mail;
    private final List<Message> published;

    private MailVerdict(World world, Outside outside) {
        this.world = world;
        this.outside = outside;
        this.mail = outside.mail();
        this.published = outside.log().sent();
    }

    static Optional<String> on(World world, Outside outside) {
        MailVerdict result = new MailVerdict(world, outside);
        List<String> causes = outside.causes();
        if (outside.mail().isIntended()) {
            return result.intents(causes);
        }
        return result.everySingleOne(causes)
                .or(result::nothingElse)
                .or(result::order)
                .or(result::downstream);
    }

    private Optional<String> everySingleOne(List<String> causes) {
        for (String cause : causes) {
            for (Message message : mail.of(cause)) {
                Optional<String> violation = sent(message);
                if (violation.isPresent()) {
                    return violation;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> sent(Message message) {
        String id = message.id().orElseThrow();
        List<Message> copies = published.stream()
                .filter(each -> each.id().orElseThrow().equals(id))
                .toList();
        List<String> states = states("outbox/" + Mail.ORDERS, id);
        if (mail.isRefused(id)) {
            return copies.isEmpty() && states.equals(List.of("PARKED REFUSED"))
                    ? Optional.empty()
                    : Optional.of("lost: " + id + " was refused, but its state is " + states);
        }
        if (copies.size() < mail.times()) {
            return Optional.of("lost: " + id + " was committed, and published " + copies.size()
                    + " times; its state is " + states);
        }
        if (mail.isNoMore(id) && copies.size() > mail.times()) {
            return Optional.of("published too often: " + id + ", " + copies.size() + " times");
        }
        if (!states.equals(List.of("COMPLETED"))) {
            return Optional.of("inconsistent: " + id + " was published, but its state is " + states);
        }
        boolean same = copies.stream()
                .allMatch(copy -> copy.payload().text().equals(message.payload().text())
                        && copy.key().equals(message.key())
                        && copy.source().equals("/orders"));
        return same ? Optional.empty() : Optional.of("changed: " + id + " was published as " + copies);
    }

    private List<String> states(String consumer, String id) {
        return world.list(
                "select status || case when reason is null then '' else ' ' || reason end"
                        + " from idembox_inbox where consumer = ? and message_id = ?",
                consumer,
                id);
    }

    /** Whatever was published has a cause that was committed, or is a dead letter. */
    private Optional<String> nothingElse() {
        Set<String> letters = new LinkedHashSet<>();
        for (Message message : published) {
            String id = message.id().orElseThrow();
            int end = id.lastIndexOf(Mail.BEHIND);
            if (end < 0) {
                letters.add(id);
            } else if (mail.of(id.substring(0, end)).stream()
                            .noneMatch(each -> each.id().orElseThrow().equals(id))
                    || !outside.hasEffect(id.substring(0, end))) {
                return Optional.of("invented: nobody sent " + id);
            }
        }
        return letters.size() == mail.deadLetters()
                ? Optional.empty()
                : Optional.of("lost or invented: there are " + letters.size() + " dead letters instead of "
                        + mail.deadLetters());
    }

    /** What was published first of each key, in the order of commits. */
    private Optional<String> order() {
        List<String> committed = new ArrayList<>();
        if (outside.commits().isEmpty()) {
            committed.addAll(world.list("select message_id from idembox_inbox where consumer = 'outbox/" + Mail.ORDERS
                    + "' order by arrival"));
        } else {
            outside.commits()
                    .forEach(cause -> mail.of(cause)
                            .forEach(message -> committed.add(message.id().orElseThrow())));
        }
        Map<String, Set<String>> keys = firstOfKeys();
        for (Map.Entry<String, Set<String>> each : keys.entrySet()) {
            List<String> expected =
                    committed.stream().filter(each.getValue()::contains).toList();
            List<String> found =
                    each.getValue().stream().filter(expected::contains).toList();
            if (!found.equals(expected)) {
                return Optional.of("out of order: published " + found + " instead of " + expected);
            }
        }
        return Optional.empty();
    }

    private Map<String, Set<String>> firstOfKeys() {
        Map<String, Set<String>> keys = new LinkedHashMap<>();
        for (Message message : published) {
            keys.computeIfAbsent(message.key().orElse(""), key -> new LinkedHashSet<>())
                    .add(message.id().orElseThrow());
        }
        return keys;
    }

    /** Whoever read it has had its effects once, and in the order of each key. */
    private Optional<String> downstream() {
        List<String> effects = world.list("select id from effect where part = 'at once' order by seq");
        for (Set<String> ids : firstOfKeys().values()) {
            for (String id : ids) {
                List<String> parts = world.list("select part from effect where id = ? order by part", id);
                if (!parts.equals(PARTS)) {
                    return Optional.of("downstream: " + id + " was published, and its effect is " + parts);
                }
            }
            List<String> found = effects.stream().filter(ids::contains).toList();
            if (!found.equals(List.copyOf(ids))) {
                return Optional.of("downstream out of order: " + found + " instead of " + ids);
            }
        }
        return Optional.empty();
    }

    /** The provider did everything once; where it helps nobody to find out, once at most, and then a human sees it. */
    private Optional<String> intents(List<String> causes) {
        Map<String, Integer> done = new HashMap<>();
        outside.charges().forEach(charge -> done.merge(charge.cause(), 1, Integer::sum));
        for (String cause : causes) {
            int times = done.getOrDefault(cause, 0);
            if (times > 1) {
                return Optional.of("doubled: the provider did what " + cause + " intends " + times + " times");
            }
            List<String> states = world.list(
                    "select i.status || case when i.reason is null then '' else ' ' || i.reason end"
                            + " from idembox_inbox i join idembox_body b on b.arrival = i.arrival"
                            + " join idembox_inbox c on c.arrival = b.cause"
                            + " where i.consumer = 'billing/" + Mail.CHARGE + "' and c.message_id = ?",
                    cause);
            boolean parked = mail.provider() == Mail.Provider.NOTHING && states.equals(List.of("PARKED UNKNOWN"));
            if (!parked && !(times == 1 && states.equals(List.of("COMPLETED")))) {
                return Optional.of("lost: the provider did what " + cause + " intends " + times
                        + " times, its state is " + states);
            }
        }
        return Collections.frequency(
                                done.keySet().stream().map(causes::contains).toList(), false)
                        == 0
                ? Optional.empty()
                : Optional.of("invented: the provider did " + done.keySet() + " instead of " + causes);
    }
}
