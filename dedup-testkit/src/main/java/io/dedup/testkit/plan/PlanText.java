package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import io.dedup.text.Printable;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Describes the result of a plan. The text is safe for a terminal, although IDs come from outside. */
final class PlanText {
    private static final int MAX_MESSAGES = 10;
    private static final int MAX_EVENTS = 20;
    private static final int MAX_PLACES = 4;

    private PlanText() {}

    /** The headline, then at most {@value #MAX_MESSAGES} of the messages, and how to run the plan again. */
    static String of(String headline, List<String> ids, FaultReport report) {
        StringBuilder text = new StringBuilder(headline).append(':');
        ids.stream().limit(MAX_MESSAGES).forEach(id -> message(text, id, report));
        if (ids.size() > MAX_MESSAGES) {
            text.append("\n  and ").append(ids.size() - MAX_MESSAGES).append(" more");
        }
        return text.append("\n").append(summary(report)).toString();
    }

    private static void message(StringBuilder text, String id, FaultReport report) {
        text.append("\n  ").append(id(id)).append(": ").append(places(report.copies(id)));
        int count = report.handled(id);
        text.append("; took effect ").append(count == 1 ? "once" : count + " times");
        if (!report.steps().isEmpty()) {
            text.append(report.steps().stream()
                    .map(step -> step + " " + report.handled(id, step))
                    .collect(Collectors.joining(", ", " (", ")")));
        }
        List<String> events = report.timeLine(id);
        int skipped = Math.max(0, events.size() - MAX_EVENTS);
        for (int i = 0; i < events.size(); i++) {
            if (i == MAX_EVENTS / 2 && skipped > 0) { // the beginning and the end are the most useful
                text.append("\n    … ").append(skipped).append(" more …");
                i += skipped;
            }
            text.append("\n    ").append(Printable.sentence(events.get(i)));
        }
    }

    private static String places(List<TopicMessage> copies) {
        String places =
                copies.stream().limit(MAX_PLACES).map(TopicMessage::place).collect(Collectors.joining(", "));
        return copies.size() > MAX_PLACES ? places + " and " + (copies.size() - MAX_PLACES) + " more" : places;
    }

    /** What was done, and how to repeat it. */
    static String summary(FaultReport report) {
        PlanSettings settings = report.settings();
        String text = String.format(
                Locale.ROOT,
                "Fault plan with seed %d on %s: %d messages and %d copies, %d times each of %s, in %.1f s. Result: %d"
                        + " lost, %d doubled, %d given up, %d not acknowledged.\nTo run the same plan again: -D%s=%d",
                settings.seed(),
                report.traffic(),
                report.ids().size(),
                report.copies(),
                settings.times(),
                Arrays.stream(Fault.values())
                        .filter(settings.faults()::contains)
                        .map(Fault::name)
                        .collect(Collectors.joining(", ")),
                report.took().toMillis() / 1000.0,
                report.lost().size(),
                report.doubled().size(),
                report.givenUp().size(),
                report.unacked().size(),
                PlanSettings.SEED,
                settings.seed());
        if (!report.steps().isEmpty()) {
            text += "\nDoubled by step: "
                    + report.steps().stream()
                            .map(step -> step + " " + report.doubled(step).size())
                            .collect(Collectors.joining(", "));
        }
        if (!report.withoutWork().isEmpty()) {
            text += "\nFaults that met a group without work in progress: "
                    + report.withoutWork().entrySet().stream()
                            .map(each -> each.getKey() + " " + each.getValue() + " of " + settings.times())
                            .collect(Collectors.joining(", "));
        }
        return report.logs() == null ? text : text + "\nOutput of the application: " + report.logs();
    }

    static String id(String id) {
        return Printable.of(id);
    }
}
