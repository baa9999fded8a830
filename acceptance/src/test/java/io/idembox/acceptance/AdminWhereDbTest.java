// SPDX-License-Identifier: Apache-2.0
package io.idembox.acceptance;

import static io.idembox.acceptance.AdminBench.operation;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idembox.HandlerException;
import io.idembox.InboxHandler;
import io.idembox.Message;
import io.idembox.Payload;
import io.idembox.admin.Filter;
import io.idembox.admin.FilterParser;
import io.idembox.admin.InboxAdmin;
import io.idembox.admin.InboxMessage;
import io.idembox.admin.MessageRef;
import io.idembox.admin.Page;
import io.idembox.policy.ConsumerPolicy;
import io.idembox.policy.Ordering;
import io.idembox.policy.RetryBy;
import io.idembox.policy.RetryPolicy;
import io.idembox.testkit.ManualClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What people write selects what it says, whatever is in it; the database is told nothing but our own texts. */
class AdminWhereDbTest extends DatabaseTest {

    private static final ConsumerPolicy ORDERED = ConsumerPolicy.defaults()
            .ordering(Ordering.HOLD)
            .retry(RetryPolicy.exponential(2, Duration.ofMinutes(1), Duration.ofMinutes(1))
                    .by(RetryBy.INBOX));
    private static final List<String> TEXT_FIELDS =
            List.of("source=", "id=", "key=", "type=", "error=", "error~", "reason=");

    private final ManualClock clock = ManualClock.create();
    private final Instant start = clock.instant();
    private final StatementLog log = new StatementLog();

    private final InboxHandler handler = context -> {
        switch (context.id().id().charAt(0)) {
            case 'p' -> throw HandlerException.park("look at 100% of it");
            case 'f' -> throw new IllegalArgumentException("wrong_amount");
            default -> effect(context);
        }
    };

    private AdminBench bench(ConsumerPolicy policy) {
        return new AdminBench(database, clock, policy, handler);
    }

    private Filter where(String text) {
        return FilterParser.parse(text, clock.instant()).filter("billing");
    }

    /** The ids of what is found; the count and the preview say the same. */
    private List<String> found(InboxAdmin admin, String text) {
        Filter filter = where(text);
        List<String> ids = admin.list(filter, Page.first(InboxAdmin.LIMIT)).messages().stream()
                .map(InboxMessage::id)
                .map(id -> id.id())
                .toList();
        assertThat(admin.count(filter, 10_000)).as(text).hasToString("" + ids.size());
        assertThat(admin.preview(filter, InboxAdmin.LIMIT).refs().stream()
                        .map(MessageRef::id)
                        .map(id -> id.id()))
                .as(text)
                .containsExactlyElementsOf(ids);
        return ids;
    }

    /** Messages of all kinds: parked, failed, waiting, new, discarded, redriven. */
    private AdminBench shop() {
        AdminBench bench = bench(ORDERED);
        InboxAdmin admin = bench.admin;
        bench.node.store(message("p1").keyed("a"), message("f1").keyed("b"));
        bench.node.work();
        clock.advance(Duration.ofSeconds(10));
        bench.node.store(message("w1").keyed("a"), message("f2").keyed("c"));
        bench.node.work();
        clock.advance(Duration.ofMinutes(1));
        bench.node.work();
        bench.node.store(
                Message.of("r1", "OrderPaid", "{}").from("/shop").keyed("d"),
                Message.of("p1", "OrderPaid", "{}").from("/shop"));
        bench.node.store(message("d1"));
        admin.discard(bench.select("d1"), operation("discard"));
        admin.redrive(
                admin.list(where("key=b"), Page.first(1)).messages().stream()
                        .map(InboxMessage::ref)
                        .toList(),
                operation("redrive"));
        return bench;
    }

    @Test
    void everyConditionSelectsWhatItSays() {
        AdminBench bench = shop();
        InboxAdmin admin = bench.admin;

        assertThat(found(admin, "consumer=billing")).containsExactly("p1", "f1", "w1", "f2", "r1", "p1");
        assertThat(found(admin, "status=parked")).containsExactly("p1");
        assertThat(found(admin, "status=failed-terminal")).containsExactly("f2");
        assertThat(found(admin, "status in (WAITING, discarded)")).containsExactly("w1", "d1");
        assertThat(found(admin, "source=/shop")).containsExactly("r1", "p1");
        assertThat(found(admin, "source=/nowhere")).isEmpty();
        assertThat(found(admin, "id=p1")).containsExactly("p1", "p1");
        assertThat(found(admin, "id=p1 and source=/shop")).containsExactly("p1");
        assertThat(found(admin, "id=p1 and source=/shop and status=parked")).isEmpty();
        assertThat(found(admin, "id=p1 and source=/nowhere")).isEmpty();
        assertThat(found(admin, "id=unknown")).isEmpty();
        assertThat(found(admin, "key=a")).containsExactly("p1", "w1");
        assertThat(found(admin, "key=a and status=waiting")).containsExactly("w1");
        assertThat(found(admin, "type=OrderPaid")).containsExactly("r1", "p1");
        assertThat(found(admin, "type=orderpaid")).isEmpty();
        assertThat(found(admin, "error=java.lang.IllegalArgumentException")).containsExactly("f1", "f2");
        assertThat(found(admin, "error=IllegalArgumentException")).isEmpty();
        assertThat(found(admin, "error~illegalARGUMENT")).containsExactly("f1", "f2");
        assertThat(found(admin, "error~WRONG_amount")).containsExactly("f1", "f2");
        assertThat(found(admin, "error~wrong%amount")).isEmpty();
        assertThat(found(admin, "error~wrong-amount")).isEmpty();
        assertThat(found(admin, "error~'100% of'")).containsExactly("p1");
        assertThat(found(admin, "error~100_")).isEmpty();
        assertThat(found(admin, "error~'look' and error~handlerexception")).containsExactly("p1");
        assertThat(found(admin, "error~'look' and error~wrong")).isEmpty();
        assertThat(found(admin, "reason=HANDLER")).containsExactly("p1");
        assertThat(found(admin, "reason=REDRIVEN")).containsExactly("f1");
        String second = start.plusSeconds(10).toString();
        assertThat(found(admin, "received<" + second)).containsExactly("p1", "f1");
        assertThat(found(admin, "received<=" + second)).containsExactly("p1", "f1", "w1", "f2");
        assertThat(found(admin, "received>" + second)).containsExactly("r1", "p1");
        assertThat(found(admin, "received>=" + second)).containsExactly("w1", "f2", "r1", "p1");
        assertThat(found(admin, "received>-60s")).containsExactly("r1", "p1");
        assertThat(found(admin, "received>=-60s and received<-1s")).containsExactly("w1", "f2");
        assertThat(found(admin, "received>=-1d")).hasSize(6);
        assertThat(found(admin, "received>=0001-01-01 and received<=9999-12-30"))
                .hasSize(6);
        assertThat(found(admin, "attempts=0")).containsExactly("w1", "r1", "p1");
        assertThat(found(admin, "attempts=1")).containsExactly("p1");
        assertThat(found(admin, "attempts>1")).containsExactly("f1", "f2");
        assertThat(found(admin, "attempts>=1")).containsExactly("p1", "f1", "f2");
        assertThat(found(admin, "attempts<1")).containsExactly("w1", "r1", "p1");
        assertThat(found(admin, "attempts<=1")).containsExactly("p1", "w1", "r1", "p1");
        assertThat(found(admin, "attempts<0")).isEmpty();
        assertThat(found(admin, "attempts>=999999999")).isEmpty();
        assertThat(found(
                        admin,
                        "consumer=billing and status=failed-terminal and source=/orders and key=c and type=OrderPlaced"
                                + " and error~wrong and received>-1d and received<=2100-01-01 and attempts>=2"))
                .containsExactly("f2");
        bench.node.claim(1, 1);
        assertThat(found(admin, "status=in-progress and attempts>=0 and received>-1d"))
                .hasSize(1);
    }

    @Test
    void anIdOfAnySourceShowsItsConflictsToo() {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        bench.node.store(message("p"));
        bench.node.work();
        bench.node.store(message("p").payload(Payload.json("[]")));

        assertThat(found(bench.admin, "id=p")).containsExactly("p", "p");
        assertThat(found(bench.admin, "id=p and reason=CONFLICT")).containsExactly("p");
    }

    @Test
    void someHostileValuesAreFoundAsTheyAreAndChangeNoStatement() throws SQLException {
        hostileValuesAreFound(10);
    }

    @Test
    @Tag("slow")
    void hostileValuesAreFoundAsTheyAreAndChangeNoStatement() throws SQLException {
        hostileValuesAreFound(1);
    }

    /** All of them are kept; every so many of them are looked for. */
    private void hostileValuesAreFound(int stride) throws SQLException {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        List<String> kept = HostileTexts.KEPT;
        assertThat(kept).doesNotHaveDuplicates();
        assertThat(HostileTexts.all()).hasSizeGreaterThan(100);
        kept.forEach(
                text -> bench.node.store(Message.of(text, "OrderPlaced", "{}").from(text)));
        List<Long> arrivals = bench.admin.list(Filter.of("billing"), Page.first(InboxAdmin.LIMIT)).messages().stream()
                .map(InboxMessage::arrival)
                .toList();
        assertThat(arrivals).hasSameSizeAs(kept);
        for (int i = 0; i < kept.size(); i++) {
            keep(kept.get(i), arrivals.get(i));
        }
        List<String> asked = IntStream.range(0, kept.size())
                .filter(i -> i % stride == 0)
                .mapToObj(kept::get)
                .toList();
        List<String> fittingReasons =
                asked.stream().filter(AdminWhereDbTest::fitsAsReason).toList();
        InboxAdmin admin = listened(bench);
        Map<String, List<String>> before = everything();

        for (String field : TEXT_FIELDS) {
            List<String> harmless = texts(() -> found(admin, field + "harmless"));
            for (String text : field.equals("reason=") ? fittingReasons : asked) {
                List<String> ids = new ArrayList<>();
                assertThat(texts(() -> ids.addAll(found(admin, field + quoted(text)))))
                        .as("statements of " + field + text)
                        .isEqualTo(harmless);
                assertThat(ids).as(field + text).contains(text);
                if (field.equals("error~")) {
                    assertThat(ids)
                            .as(field + text)
                            .containsAll(kept.stream()
                                    .filter(each -> each.contains(text))
                                    .toList());
                    assertThat(ids)
                            .as(field + text)
                            .allMatch(each -> folded(each).contains(folded(text)));
                } else {
                    assertThat(ids).as(field + text).hasSize(1);
                }
            }
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void hostileConsumersAreNobody() throws SQLException {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        bench.node.store(message("r1"));
        InboxAdmin admin = listened(bench);
        Map<String, List<String>> before = everything();
        List<String> harmless = texts(() -> admin.count(Filter.of("harmless"), 10));
        assertThat(harmless).hasSize(1);

        for (String text : HostileTexts.KEPT) {
            FilterParser filterParser =
                    FilterParser.parse("consumer=" + quoted(text) + " and key=" + quoted(text), clock.instant());
            assertThat(filterParser.consumer()).contains(text);
            assertThat(texts(() -> assertThat(admin.count(filterParser.filter(text), 10))
                            .hasToString("0")))
                    .as(text)
                    .isEqualTo(harmless);
        }
        assertThat(everything()).isEqualTo(before);
    }

    @Test
    void whatCannotBeKeptOrIsTooLongIsRefusedBeforeTheDatabaseHearsOfIt() throws SQLException {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        bench.node.store(message("r1"));
        InboxAdmin admin = listened(bench);
        log.take();

        for (String field : TEXT_FIELDS) {
            for (String text : HostileTexts.NEVER_KEPT) {
                refused(admin, field + quoted(text), "Position ");
                refused(admin, field + text, "Position ");
                refused(admin, "consumer=" + quoted(text), "Position ");
            }
            for (String text : HostileTexts.TOO_LONG) {
                refused(admin, field + quoted(text), "The filter has ");
            }
        }
        assertThat(log.take()).isEmpty();
    }

    @Test
    void hostileFieldsOperatorsAndValuesWithoutQuotesAreRefusedOrHarmless() throws SQLException {
        AdminBench bench = bench(ConsumerPolicy.defaults());
        bench.node.store(message("r1"));
        InboxAdmin admin = listened(bench);
        Map<String, List<String>> before = everything();
        List<String> harmless = texts(() -> found(admin, "key=harmless"));

        HostileTexts.all().filter(text -> !text.isBlank()).forEach(text -> {
            refused(admin, text + "=a", "");
            refused(admin, text + " in (parked)", "");
            refused(admin, "status=" + text, "");
            refused(admin, "status in (" + text + ")", "");
            refused(admin, "received>" + text, "");
            if (!text.equals("0")) {
                refused(admin, "attempts=" + text, "");
            }
            if (!List.of("=", "~", ">=").contains(text)) {
                refused(admin, "attempts" + text + "3", "");
            }
            log.take();
            if (isRead("key=" + text)) {
                Filter filter = where("key=" + text);
                assertThat(filter)
                        .isEqualTo(
                                Filter.of("billing").key(filter.contentFilter().key()));
                assertThat(texts(() -> found(admin, "key=" + text))).as(text).isEqualTo(harmless);
            }
        });
        assertThat(everything()).isEqualTo(before);
    }

    private boolean isRead(String text) {
        try {
            where(text);
            return true;
        } catch (IllegalArgumentException refused) {
            return false;
        }
    }

    private void refused(InboxAdmin admin, String text, String said) {
        assertThatThrownBy(() -> admin.list(where(text), Page.first(1)))
                .as(text)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(said)
                .message()
                .doesNotContainPattern("[\\p{Cc}\\p{Cs}]")
                .hasSizeLessThan(400);
    }

    private InboxAdmin listened(AdminBench bench) {
        return bench.admin(database, log.on(database.dataSource()), clock, Optional.of(ConsumerPolicy.defaults()));
    }

    private List<String> texts(Runnable asking) {
        log.take();
        asking.run();
        return log.take();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static String folded(String text) {
        return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
    }

    /** The text as key, type, error, class and reason of a message. */
    private void keep(String text, long arrival) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement body = connection.prepareStatement(
                        "update idembox_body set message_key = ?, event_type = ? where arrival = ?");
                PreparedStatement entry = connection.prepareStatement("update idembox_entry set state = 'PARKED',"
                        + " error_kind = 'PARK', error = ?, error_class = ?, reason = ? where arrival = ?")) {
            body.setString(1, text);
            body.setString(2, text);
            body.setLong(3, arrival);
            assertThat(body.executeUpdate()).isEqualTo(1);
            entry.setString(1, text);
            entry.setString(2, text);
            entry.setString(3, fitsAsReason(text) ? text : null);
            entry.setLong(4, arrival);
            assertThat(entry.executeUpdate()).isEqualTo(1);
        }
    }

    private static boolean fitsAsReason(String text) {
        return text.length() <= 40;
    }

    /** Every row of every table, by table. */
    private Map<String, List<String>> everything() throws SQLException {
        Map<String, List<String>> rows = new TreeMap<>();
        try (Connection connection = database.dataSource().getConnection();
                ResultSet tables =
                        connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE", "BASE TABLE"})) {
            while (tables.next()) {
                if (List.of("public", "PUBLIC").contains(tables.getString("TABLE_SCHEM"))) {
                    String table = tables.getString("TABLE_NAME");
                    rows.put(table, rowsOf(connection, table));
                }
            }
        }
        assertThat(rows.keySet()).anyMatch(table -> table.equalsIgnoreCase("idembox_entry"));
        return rows;
    }

    private static List<String> rowsOf(Connection connection, String table) throws SQLException {
        List<String> all = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("select * from " + table);
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                StringBuilder row = new StringBuilder();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    row.append(rows.getString(column)).append('|');
                }
                all.add(row.toString());
            }
        }
        all.sort(null);
        return all;
    }
}
