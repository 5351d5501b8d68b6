package io.dedup.testkit.plan;

import io.dedup.testkit.plan.History.Happening;
import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects what happened to one message from the history of the plan. */
final class TimeLine {
    /** Faults that ended at most this long before a message was sent are included. */
    private static final Duration NEAR = Duration.ofMillis(500);

    private record Event(Instant at, String what) {}

    private TimeLine() {}

    /** One line for each event, with the time since the first copy was sent. */
    static List<String> of(List<TopicMessage> copies, List<Instant> effects, History history) {
        List<Event> events = new ArrayList<>();
        for (TopicMessage copy : copies) {
            events.add(new Event(copy.sentAt(), (events.isEmpty() ? "sent (" : "sent again (") + copy.place() + ")"));
        }
        for (int i = 0; i < effects.size(); i++) {
            events.add(new Event(effects.get(i), i == 0 ? "took effect" : "took effect again"));
        }
        for (TopicMessage copy : copies) {
            Instant acked = history.ackedAt(copy);
            if (acked != null) {
                boolean early = effects.isEmpty() || effects.get(0).isAfter(acked);
                events.add(
                        new Event(acked, "acknowledged (" + copy.place() + ")" + (early ? " without an effect" : "")));
            }
        }
        if (events.isEmpty()) {
            return List.of();
        }
        events.sort(Comparator.comparing(Event::at));
        Instant first = events.get(0).at();
        Instant last = events.get(events.size() - 1).at();
        for (Happening each : history.happenings()) {
            if (each.to().plus(NEAR).isAfter(first) && !each.from().isAfter(last)) {
                events.add(new Event(each.from(), text(each)));
            }
        }
        events.sort(Comparator.comparing(Event::at));
        return lines(events, first);
    }

    /** One line for each fault, with the time since the first. */
    static List<String> of(List<Happening> happenings) {
        return lines(
                happenings.stream()
                        .map(each -> new Event(each.from(), text(each)))
                        .toList(),
                happenings.isEmpty() ? Instant.EPOCH : happenings.get(0).from());
    }

    private static List<String> lines(List<Event> events, Instant zero) {
        return events.stream()
                .map(event -> String.format(
                        "%+d ms %s", Duration.between(zero, event.at()).toMillis(), event.what()))
                .toList();
    }

    private static String text(Happening happening) {
        long millis = Duration.between(happening.from(), happening.to()).toMillis();
        return happening.name() + (millis == 0 ? "" : " for " + millis + " ms") + ": " + happening.what();
    }
}
