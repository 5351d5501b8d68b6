package io.dedup.examples.live;

import io.dedup.duplicate.DuplicateCause;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.jdbc.core.JdbcTemplate;

/** Counts, by topic and consumer group. Thread-safe. */
final class Tally {
    private static final int LAST_ORDERS = 5;

    private final JdbcTemplate jdbc;
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final Map<Outcome, Long> runs = new ConcurrentHashMap<>();

    Tally(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * The numbers of one listener. Those about effects are read from its table, so they are true even after a kill.
     *
     * @param sent messages that the broker acknowledged
     * @param delivered calls of the listener, including retries of the same message
     * @param handled effects: rows of the listener's table
     * @param handledOrders orders with at least one effect; more effects than orders means that an effect happened twice
     * @param cents the sum of the effects
     * @param excessCents how much of it is too much, as each order counts once
     * @param duplicates messages that dedup skipped
     * @param causes why they were duplicates, by cause
     * @param deferred deliveries that dedup deferred because another run held the lease
     * @param failed calls of the listener that threw
     */
    record ListenerView(
            String topic,
            String group,
            long sent,
            long delivered,
            long handled,
            long handledOrders,
            long cents,
            long excessCents,
            long duplicates,
            Map<String, Long> causes,
            long deferred,
            long failed) {}

    /** One of the last orders, with the number of its effects. */
    record OrderView(String id, long cents, long charged, long chargedWithoutDedup, long mails) {}

    private record Effects(long rows, long orders, long cents, long dueCents) {}

    void sent(String topic) {
        count(topic);
    }

    /**
     * Counts a step of a message.
     *
     * @return how often this consumer group has handled this message so far
     */
    long count(Outcome outcome) {
        count(key(outcome.topic(), outcome.group(), outcome.what()));
        if (!outcome.cause().isEmpty()) {
            count(key(outcome.topic(), outcome.group(), outcome.cause()));
        }
        return outcome.what().equals(Outcome.HANDLED) ? runs.merge(outcome, 1L, Long::sum) : 0;
    }

    long orders() {
        return value("SELECT count(*) FROM placed");
    }

    /** Latest first. */
    List<OrderView> lastOrders() {
        return jdbc.query(
                """
                SELECT order_id, cents,
                    (SELECT count(*) FROM charge c WHERE c.order_id = p.order_id),
                    (SELECT count(*) FROM charge_without_dedup c WHERE c.order_id = p.order_id),
                    (SELECT count(*) FROM mail m WHERE m.order_id = p.order_id)
                FROM placed p ORDER BY number DESC LIMIT ?""",
                (row, unused) ->
                        new OrderView(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4), row.getLong(5)),
                LAST_ORDERS);
    }

    List<ListenerView> listeners() {
        return Topics.SUBSCRIPTIONS.stream().map(this::view).toList();
    }

    private ListenerView view(Topics.Subscription of) {
        Effects effects = effects(of.table());
        return new ListenerView(
                of.topic(),
                of.group(),
                counted(of.topic()),
                counted(key(of.topic(), of.group(), Outcome.DELIVERED)),
                effects.rows(),
                effects.orders(),
                effects.cents(),
                effects.cents() - effects.dueCents(),
                counted(key(of.topic(), of.group(), Outcome.DUPLICATE)),
                causes(of),
                counted(key(of.topic(), of.group(), Outcome.DEFERRED)),
                counted(key(of.topic(), of.group(), Outcome.FAILED)));
    }

    private Map<String, Long> causes(Topics.Subscription of) {
        Map<String, Long> causes = new TreeMap<>();
        for (DuplicateCause cause : DuplicateCause.values()) {
            long count = counted(key(of.topic(), of.group(), cause.tag()));
            if (count > 0) {
                causes.put(cause.tag(), count);
            }
        }
        return causes;
    }

    private Effects effects(String table) {
        List<Effects> found = jdbc.query(
                "SELECT count(*), count(DISTINCT order_id), coalesce(sum(cents), 0), (SELECT coalesce(sum(cents), 0)"
                        + " FROM placed WHERE order_id IN (SELECT order_id FROM " + table + ")) FROM " + table,
                (row, unused) -> new Effects(row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4)));
        return found.get(0);
    }

    private long value(String sql) {
        Long value = jdbc.queryForObject(sql, Long.class);
        return value == null ? 0 : value;
    }

    private static String key(String topic, String group, String what) {
        return topic + " " + group + " " + what;
    }

    private void count(String key) {
        counts.computeIfAbsent(key, unused -> new LongAdder()).increment();
    }

    private long counted(String key) {
        LongAdder count = counts.get(key);
        return count == null ? 0 : count.sum();
    }
}
