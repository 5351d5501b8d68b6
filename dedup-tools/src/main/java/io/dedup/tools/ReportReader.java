package io.dedup.tools;

import io.dedup.report.CopiedMessage;
import io.dedup.report.Distances;
import io.dedup.report.DuplicationReport;
import io.dedup.report.TopicReport;
import io.dedup.text.Printable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads what an endpoint answered. It may be another program's, or that of somebody who wants to confuse an operator: each field is
 * checked, numbers are too small for their sums to overflow, and texts are escaped. Fields that aren't known are skipped, so that a
 * newer process can say more.
 */
final class ReportReader {
    private static final long MAX_COUNT = 1_000_000_000_000_000L;
    private static final int MAX_ITEMS = 100_000;
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxDocumentLength(ReportFetcher.MAX_BYTES)
                    .maxNestingDepth(20)
                    .maxStringLength(10_000)
                    .maxNameLength(10_000)
                    .maxNumberLength(30)
                    .build())
            .build();

    private ReportReader() {}

    /**
     * Reads a report.
     *
     * @throws UnusableReportException if it is none
     */
    static FetchedReport read(byte[] json) {
        Object answer;
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), json)) {
            parser.nextToken();
            answer = value(parser);
            if (parser.nextToken() != null) {
                throw wrong("the answer", "one JSON object");
            }
        } catch (JacksonException e) {
            throw new UnusableReportException(
                    "The answer isn't the JSON of a report: " + Printable.of(e.getOriginalMessage()), e);
        }
        Map<?, ?> view = object(answer, "the answer");
        Map<?, ?> report = object(view.get("report"), "report");
        List<TopicReport> topics = new ArrayList<>();
        list(report, "topics").forEach(each -> topics.add(topic(object(each, "topics"))));
        List<CopiedMessage> copied = new ArrayList<>();
        list(report, "mostCopied").forEach(each -> copied.add(copied(object(each, "mostCopied"))));
        return new FetchedReport(
                new DuplicationReport(
                        instant(report, "from"), instant(report, "to"), topics, copied, count(report, "unlisted")),
                windows(object(view.get("windowLengths"), "windowLengths")));
    }

    private static @Nullable Object value(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, @Nullable Object> object = new LinkedHashMap<>();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                object.put(name, value(parser));
            }
            return object;
        }
        if (token == JsonToken.START_ARRAY) {
            List<@Nullable Object> list = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                list.add(value(parser));
            }
            return list;
        }
        if (token == JsonToken.VALUE_NUMBER_INT) {
            return parser.getLongValue();
        }
        if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        return token == JsonToken.VALUE_STRING ? parser.getString() : null;
    }

    private static TopicReport topic(Map<?, ?> topic) {
        Map<String, Long> duplicates = new LinkedHashMap<>();
        object(topic.get("duplicates"), "duplicates")
                .forEach((cause, count) ->
                        duplicates.merge(escaped(String.valueOf(cause)), count(count, "duplicates"), Long::sum));
        Map<Long, Long> distances = new LinkedHashMap<>();
        object(object(topic.get("distances"), "distances").get("millis"), "distances.millis")
                .forEach((step, count) -> distances.merge(step(step), count(count, "distances.millis"), Long::sum));
        if (duplicates.size() > 100 || distances.size() > 1_000) {
            throw wrong("topics", "topics with a few causes and distances");
        }
        return new TopicReport(
                text(topic, "consumer"),
                text(topic, "topic"),
                Boolean.TRUE.equals(topic.get("shadow")),
                count(topic, "handled"),
                duplicates,
                count(topic, "failed"),
                count(topic, "deferred"),
                count(topic, "rejected"),
                count(topic, "deaths"),
                new Distances(distances));
    }

    private static Long step(Object text) {
        try {
            long step = Long.parseLong(String.valueOf(text));
            if (step >= 0) {
                return step;
            }
        } catch (NumberFormatException e) {
            throw new UnusableReportException("distances.millis must have numbers as names", e);
        }
        throw wrong("distances.millis", "numbers as names");
    }

    private static CopiedMessage copied(Map<?, ?> message) {
        long copies = count(message, "copies");
        return new CopiedMessage(
                text(message, "consumer"),
                text(message, "topic"),
                text(message, "id"),
                copies,
                Math.min(copies, count(message, "atLeast")),
                text(message, "lastCause"),
                instant(message, "lastAt"),
                textOrNull(message, "firstPlace"),
                textOrNull(message, "lastPlace"),
                textOrNull(message, "lastSender"));
    }

    private static Map<String, Duration> windows(Map<?, ?> lengths) {
        Map<String, Duration> windows = new LinkedHashMap<>();
        lengths.forEach((scope, length) -> {
            try {
                Duration duration = Duration.parse(String.valueOf(length));
                if (!duration.isNegative() && duration.compareTo(Duration.ofDays(1_000_000)) <= 0) {
                    windows.put(escaped(String.valueOf(scope)), duration);
                }
            } catch (DateTimeException e) {
                throw new UnusableReportException("windowLengths must have durations such as PT168H", e);
            }
        });
        return windows;
    }

    private static Map<?, ?> object(@Nullable Object value, String name) {
        if (value instanceof Map<?, ?> object && object.size() <= MAX_ITEMS) {
            return object;
        }
        throw wrong(name, "a JSON object");
    }

    private static List<?> list(Map<?, ?> of, String name) {
        if (of.get(name) instanceof List<?> list && list.size() <= MAX_ITEMS) {
            return list;
        }
        throw wrong(name, "a list");
    }

    private static long count(Map<?, ?> of, String name) {
        return count(of.get(name), name);
    }

    private static long count(@Nullable Object value, String name) {
        if (value instanceof Long count && count >= 0 && count <= MAX_COUNT) {
            return count;
        }
        throw wrong(name, "a whole number from 0 to " + MAX_COUNT);
    }

    private static String text(Map<?, ?> of, String name) {
        String text = textOrNull(of, name);
        if (text == null) {
            throw wrong(name, "text");
        }
        return text;
    }

    private static @Nullable String textOrNull(Map<?, ?> of, String name) {
        return of.get(name) instanceof String text ? escaped(text) : null;
    }

    /** What the endpoint has escaped stays as it is. */
    private static String escaped(String text) {
        return Printable.sentence(text);
    }

    private static Instant instant(Map<?, ?> of, String name) {
        try {
            if (of.get(name) instanceof String text) {
                return Instant.parse(text);
            }
        } catch (DateTimeException e) {
            throw new UnusableReportException(name + " must be a time such as 2026-03-01T08:30:00Z", e);
        }
        throw wrong(name, "a time such as 2026-03-01T08:30:00Z");
    }

    private static UnusableReportException wrong(String name, String wanted) {
        return new UnusableReportException(
                "The answer isn't a report of this version: " + name + " must be " + wanted, null);
    }
}
