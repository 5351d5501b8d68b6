package io.dedup.report;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * The duplicates of some hours, of one process or of several.
 *
 * @param topics by consumer and topic
 * @param mostCopied the messages with the most copies, those with most first
 * @param unlisted how many copies a message may have that isn't listed; 0 if all are listed that have copies
 */
public record DuplicationReport(
        Instant from, Instant to, List<TopicReport> topics, List<CopiedMessage> mostCopied, long unlisted) {
    /** How many messages are listed for people to read. */
    public static final int MAX_COPIED = 10;

    /** How many messages are known at most, for another report to be merged with. */
    public static final int ALL_COPIED = DuplicationReports.HOURS * CopiedIds.CAPACITY;

    private static final double NEARLY_ALL = 0.9999;

    public DuplicationReport {
        topics = List.copyOf(topics);
        mostCopied = List.copyOf(mostCopied);
    }

    /**
     * Merges reports, for example of all processes of a consumer group. A message that isn't listed in each of them may have more
     * copies: merge reports with {@link #ALL_COPIED} messages, and nothing is missed.
     *
     * @param limit how many messages to list at most
     */
    public static DuplicationReport merged(List<DuplicationReport> reports, int limit) {
        List<TopicReport> topics = merged(
                reports.stream().flatMap(each -> each.topics.stream()).toList(),
                each -> List.of(each.consumer(), each.topic(), each.shadow()),
                TopicReport::plus);
        topics.sort(Comparator.comparing(TopicReport::consumer)
                .thenComparing(TopicReport::topic)
                .thenComparing(TopicReport::shadow));
        List<CopiedMessage> copied = mostCopied(reports);
        List<CopiedMessage> listed = copied.subList(0, Math.min(limit, copied.size()));
        long unlisted = reports.stream().mapToLong(DuplicationReport::unlisted).sum();
        return new DuplicationReport(
                reports.stream()
                        .map(DuplicationReport::from)
                        .min(Instant::compareTo)
                        .orElse(Instant.EPOCH),
                reports.stream()
                        .map(DuplicationReport::to)
                        .max(Instant::compareTo)
                        .orElse(Instant.EPOCH),
                topics,
                listed,
                listed.size() == copied.size()
                        ? unlisted
                        : Math.max(unlisted, copied.get(listed.size()).copies()));
    }

    /** A message may also have copies where it isn't listed. */
    private static List<CopiedMessage> mostCopied(List<DuplicationReport> reports) {
        long unlisted = reports.stream().mapToLong(DuplicationReport::unlisted).sum();
        List<CopiedMessage> copied = merged(
                reports.stream()
                        .flatMap(report -> report.mostCopied.stream().map(each -> each.plusUnlisted(-report.unlisted)))
                        .toList(),
                each -> List.of(each.consumer(), each.topic(), each.id()),
                CopiedMessage::plus);
        copied.replaceAll(each -> each.plusUnlisted(unlisted));
        copied.sort(Comparator.comparingLong(CopiedMessage::copies)
                .reversed()
                .thenComparing(CopiedMessage::consumer)
                .thenComparing(CopiedMessage::topic)
                .thenComparing(CopiedMessage::id));
        return copied;
    }

    private static <T> List<T> merged(List<T> all, Function<T, Object> key, BinaryOperator<T> plus) {
        Map<Object, T> byKey = new LinkedHashMap<>();
        all.forEach(each -> byKey.merge(key.apply(each), each, plus));
        return new ArrayList<>(byKey.values());
    }

    /** Returns the report for people to read. */
    public String text() {
        StringBuilder text = new StringBuilder("Duplicates from ")
                .append(from)
                .append(" to ")
                .append(to)
                .append('\n');
        for (TopicReport topic : topics) {
            text.append(topic.consumer()).append(':').append(topic.topic()).append(topic.shadow() ? " (shadow)" : "");
            text.append(": ").append(topic.handled()).append(" handled, ");
            text.append(topic.allDuplicates())
                    .append(" duplicates ")
                    .append(topic.duplicates())
                    .append(", ");
            text.append(topic.failed())
                    .append(" failed, ")
                    .append(topic.deferred())
                    .append(" deferred, ");
            text.append(topic.rejected()).append(" rejected, ");
            text.append(topic.deaths()).append(topic.deaths() == 1 ? " death" : " deaths");
            if (topic.distances().count() > 0) {
                text.append("; 99.99 % of the copies within ")
                        .append(seconds(topic.distances().within(NEARLY_ALL)));
                text.append(", all within ").append(seconds(topic.distances().within(1)));
            }
            text.append('\n');
        }
        for (CopiedMessage each : mostCopied) {
            text.append(each.copies()).append(" copies of ").append(each.id());
            text.append(" (")
                    .append(each.consumer())
                    .append(':')
                    .append(each.topic())
                    .append("), the last one ");
            text.append(each.lastCause()).append(" at ").append(each.lastAt());
            if (each.lastSender() != null) {
                text.append(", sent by ").append(each.lastSender());
            }
            if (each.firstPlace() != null) {
                text.append("; first at ")
                        .append(each.firstPlace())
                        .append(", last at ")
                        .append(each.lastPlace());
            }
            text.append('\n');
        }
        return text.toString();
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() < 10_000 ? duration.toMillis() + " ms" : duration.toSeconds() + " s";
    }
}
