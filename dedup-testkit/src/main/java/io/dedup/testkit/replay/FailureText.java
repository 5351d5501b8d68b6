package io.dedup.testkit.replay;

import io.dedup.text.Printable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Describes what happened to messages, briefly. The text is safe for a terminal, although IDs come from outside. */
final class FailureText {
    private static final int MAX_MESSAGES = 10;
    private static final int MAX_EVENTS = 20;
    private static final int MAX_PLACES = 5;

    private FailureText() {}

    /** The headline, then at most {@value #MAX_MESSAGES} of the messages. */
    static String of(String headline, List<String> ids, ReplayReport report) {
        StringBuilder text = new StringBuilder(headline).append(':');
        ids.stream().limit(MAX_MESSAGES).forEach(id -> message(text, id, report));
        if (ids.size() > MAX_MESSAGES) {
            text.append("\n  and ").append(ids.size() - MAX_MESSAGES).append(" more");
        }
        if (!report.hasHeard()) {
            text.append("\n  (The timeline has no events of consumer ")
                    .append(Printable.of(report.consumer()))
                    .append(" on this topic: the listener isn't decorated, or the timeline isn't registered as a"
                            + " listener of its Deduplicator.)");
        }
        return text.toString();
    }

    private static void message(StringBuilder text, String id, ReplayReport report) {
        List<TopicMessage> copies = report.copies(id);
        text.append("\n  ").append(Printable.of(id)).append(": ");
        text.append(copies.isEmpty() ? "not on the topic" : places(copies));
        text.append("; took effect ").append(times(report.handled(id)));
        String early = report.ackedEarly(id);
        if (early != null) {
            text.append("; acknowledged at ").append(early).append(" before its effect");
        }
        text.append(events(report.timeline(id)));
    }

    /** The events, one line each. */
    private static String events(List<Timeline.Event> events) {
        StringBuilder text = new StringBuilder(events.isEmpty() ? "\n    no events" : "");
        int skipped = Math.max(0, events.size() - MAX_EVENTS);
        for (int i = 0; i < events.size(); i++) {
            if (i == MAX_EVENTS / 2 && skipped > 0) { // the beginning and the end are the most useful
                text.append("\n    … ").append(skipped).append(" more …");
                i += skipped;
            }
            text.append("\n    ").append(line(events.get(i), events.get(0).at()));
        }
        return text.toString();
    }

    private static String line(Timeline.Event event, Instant first) {
        String kind = event.kind() == Timeline.Kind.ACKED
                ? "acknowledged"
                : event.kind().toString().toLowerCase(Locale.ROOT).replace('_', ' ');
        return String.format(
                Locale.ROOT,
                "+%d ms %s%s by %s",
                Duration.between(first, event.at()).toMillis(),
                kind,
                event.detail().isEmpty() ? "" : " (" + event.detail() + ")",
                Printable.of(event.by()));
    }

    static String places(List<TopicMessage> messages) {
        StringBuilder text = new StringBuilder();
        messages.stream()
                .limit(MAX_PLACES)
                .forEach(message -> text.append(text.isEmpty() ? "" : ", ").append(message.place()));
        if (messages.size() > MAX_PLACES) {
            text.append(" and ").append(messages.size() - MAX_PLACES).append(" more");
        }
        return text.toString();
    }

    private static String times(int count) {
        return count == 1 ? "once" : count + " times";
    }

    /** The ID, or a text if it is missing. */
    static String name(@Nullable String id) {
        return id == null ? "no ID" : Printable.of(id);
    }
}
