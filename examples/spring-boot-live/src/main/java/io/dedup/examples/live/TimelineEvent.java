package io.dedup.examples.live;

import java.time.Instant;

/**
 * A line of the page's time line.
 *
 * @param topic empty for what isn't about one topic
 * @param group the consumer group; empty for what the shop or an operator did
 * @param times how often this consumer group has handled this message so far, where {@code what} is {@code handled}
 * @param cause why a message is a duplicate; empty for everything else
 */
record TimelineEvent(Instant at, String topic, String group, String what, String id, long times, String cause) {
    static final String SENT = "sent";
    static final String REPLAYED = "replayed";
    static final String STARTED = "started";
    static final String READY = "ready";
    static final String KILLED = "killed";

    static TimelineEvent of(Outcome outcome, long times) {
        return new TimelineEvent(
                Instant.now(), outcome.topic(), outcome.group(), outcome.what(), outcome.id(), times, outcome.cause());
    }

    /** What the shop or an operator did. */
    static TimelineEvent of(String what, String topic, String id) {
        return new TimelineEvent(Instant.now(), topic, "", what, id, 0, "");
    }
}
