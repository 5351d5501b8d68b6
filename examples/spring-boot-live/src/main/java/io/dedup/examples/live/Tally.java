package io.dedup.examples.live;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.jdbc.core.JdbcTemplate;

/** Counts, by topic. Thread-safe. */
final class Tally {
    private static final String SENT = "sent";

    private final JdbcTemplate jdbc;
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    Tally(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * What happened to a topic's messages.
     *
     * @param sent acknowledged by the broker
     * @param delivered given to the listener, tries of the same message included
     * @param handled effects in the database, so they are right even if a killed consumer couldn't report them
     * @param handledOrders of how many orders; fewer than {@code handled} would be effects that happened twice
     * @param deferred how often a message was deferred because another delivery held its lease
     * @param failed how often a handler threw
     */
    record TopicView(
            String topic,
            long sent,
            long delivered,
            long handled,
            long handledOrders,
            long duplicates,
            long deferred,
            long failed) {}

    private record Effects(long rows, long orders) {}

    void count(String topic, String what) {
        counts.computeIfAbsent(topic + " " + what, unused -> new LongAdder()).increment();
    }

    void sent(String topic) {
        count(topic, SENT);
    }

    List<TopicView> topics() {
        Map<String, Effects> effects = new HashMap<>();
        jdbc.query("SELECT topic, count(*), count(DISTINCT order_id) FROM effect GROUP BY topic", row -> {
            effects.put(row.getString(1), new Effects(row.getLong(2), row.getLong(3)));
        });
        List<TopicView> views = new ArrayList<>();
        for (String topic : Topics.ALL) {
            Effects done = effects.getOrDefault(topic, new Effects(0, 0));
            views.add(new TopicView(
                    topic,
                    counted(topic, SENT),
                    counted(topic, Outcome.DELIVERED),
                    done.rows(),
                    done.orders(),
                    counted(topic, Outcome.DUPLICATE),
                    counted(topic, Outcome.DEFERRED),
                    counted(topic, Outcome.FAILED)));
        }
        return views;
    }

    private long counted(String topic, String what) {
        LongAdder count = counts.get(topic + " " + what);
        return count == null ? 0 : count.sum();
    }
}
