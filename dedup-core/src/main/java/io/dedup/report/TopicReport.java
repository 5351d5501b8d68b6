package io.dedup.report;

import java.util.Map;
import java.util.TreeMap;

/**
 * What happened to the messages of a topic.
 *
 * @param shadow whether these duplicates were handled nevertheless, because the topic is in shadow mode; {@code handled} counts
 *     nothing then
 * @param handled messages whose success was recorded
 * @param duplicates by the tag of their cause
 * @param failed runs whose handler threw
 * @param deferred deliveries that were deferred
 * @param rejected deliveries without a usable ID, with another payload, or of poison messages, also if a policy let them run
 * @param deaths runs that never ended: their leases expired, as whoever claimed their messages again saw
 * @param distances how long after the first message its copies arrived
 */
public record TopicReport(
        String consumer,
        String topic,
        boolean shadow,
        long handled,
        Map<String, Long> duplicates,
        long failed,
        long deferred,
        long rejected,
        long deaths,
        Distances distances) {
    public TopicReport {
        duplicates = new TreeMap<>(duplicates);
    }

    /** The number of duplicates. */
    public long allDuplicates() {
        return duplicates.values().stream().mapToLong(Long::longValue).sum();
    }

    TopicReport plus(TopicReport other) {
        Map<String, Long> all = new TreeMap<>(duplicates);
        other.duplicates.forEach((cause, count) -> all.merge(cause, count, Long::sum));
        return new TopicReport(
                consumer,
                topic,
                shadow,
                handled + other.handled,
                all,
                failed + other.failed,
                deferred + other.deferred,
                rejected + other.rejected,
                deaths + other.deaths,
                distances.plus(other.distances));
    }
}
