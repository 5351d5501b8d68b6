package io.dedup.testkit.replay;

import static io.dedup.testkit.replay.Timeline.Kind.CONFLICT;
import static io.dedup.testkit.replay.Timeline.Kind.DEFERRED;
import static io.dedup.testkit.replay.Timeline.Kind.DUPLICATE;
import static io.dedup.testkit.replay.Timeline.Kind.POISON;
import static io.dedup.testkit.replay.Timeline.Kind.REWOUND;
import static io.dedup.testkit.replay.Timeline.Kind.UNGUARDED;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the result of a replay. Failures list the messages, with their positions on the topic and what
 * happened to them; IDs are escaped and shortened.
 */
public final class ReplayAssert extends AbstractAssert<ReplayAssert, ReplayReport> {
    private static final String OTHER_IDS =
            " (the extractor of ids(...) must be that of the listener, and nothing may" + " filter its messages)";

    ReplayAssert(ReplayReport report) {
        super(report, ReplayAssert.class);
    }

    /**
     * Asserts the guarantee: every ID on the topic took effect exactly once, and no copy was acknowledged before that.
     * Also fails if the topic is empty, if messages have no usable ID, if neither effects nor a timeline are
     * available to check it, or if the timeline has seen messages that were sent since the test began and no run of a
     * handler: their effects are those of an earlier test. Use new message IDs in each test.
     */
    public ReplayAssert handledOncePerId() {
        lostNothing();
        fails("took effect more than once", ids(id -> actual.handled(id) > 1));
        return fails(
                "sent since the test began, and never handled in it: the effects are older, and nothing is known about"
                        + " the handler. Use new message IDs in each test (if they are old on purpose, assert"
                        + " lostNothing() and compare handled(id) of the report)",
                ids(actual::isOfEarlierTest));
    }

    /**
     * Asserts that every ID, on the topic or expected, took effect at least once, and, if effects are counted, that no
     * message was seen acknowledged before its effect. Also fails if this cannot be checked, as
     * {@link #handledOncePerId} does.
     */
    public ReplayAssert lostNothing() {
        requireKnowledge();
        fails("expected, but not on the topic", ids(actual::isMissing));
        requireIds();
        fails("lost: acknowledged without an effect", ids(id -> actual.handled(id) == 0));
        return fails(
                "acknowledged before the effect: a crash in between would lose it",
                ids(id -> actual.ackedEarly(id) != null));
    }

    /**
     * Asserts that copies of handled messages were recognized and acknowledged without being handled: of each ID with
     * several copies or a replay, at least one copy was a duplicate, and none was a conflict or poison. Needs a
     * timeline.
     */
    public ReplayAssert ackedDuplicates() {
        requireTimeline();
        if (ids(this::cameAgain).isEmpty()) {
            throw failure("%s", "No message was redelivered or copied, so nothing is known about duplicates");
        }
        fails(
                "redelivered or copied, but never recognized as a duplicate",
                ids(id -> cameAgain(id) && !has(id, DUPLICATE)));
        return fails("rejected", ids(id -> has(id, CONFLICT) || has(id, POISON)));
    }

    /**
     * Asserts that no message had to wait for a running copy or for the store. Needs a timeline that has seen what
     * happened to the messages: fails if the deduplicator has reported nothing about a message since it was sent again or
     * rewound, or found no usable ID in one. The other assertions that need a timeline do so, too.
     */
    public ReplayAssert deferredNothing() {
        requireTimeline();
        return fails("deferred", ids(id -> has(id, DEFERRED)));
    }

    /** Asserts that exactly these messages were deferred. Needs a timeline. */
    public ReplayAssert deferredOnly(String... deferredIds) {
        requireTimeline();
        Set<String> wanted = Set.of(deferredIds);
        fails("not deferred, although expected", ids(id -> wanted.contains(id) && !has(id, DEFERRED)));
        fails("deferred, although not expected", ids(id -> !wanted.contains(id) && has(id, DEFERRED)));
        Set<String> unknown = new TreeSet<>(wanted);
        unknown.removeAll(actual.allIds());
        return fails("expected to be deferred, but not on the topic", List.copyOf(unknown));
    }

    /**
     * Asserts that every run had a claim, so that no policy let a message run without deduplication. Needs a timeline.
     */
    public ReplayAssert ranNothingUnguarded() {
        requireTimeline();
        return fails("handled without deduplication", ids(id -> has(id, UNGUARDED)));
    }

    private boolean cameAgain(String id) {
        return actual.copies(id).size() > 1 || has(id, REWOUND);
    }

    private boolean has(String id, Timeline.Kind kind) {
        return actual.timeline(id).stream().anyMatch(event -> event.kind() == kind);
    }

    private List<String> ids(Predicate<String> which) {
        return actual.allIds().stream().filter(which).toList();
    }

    private void requireIds() {
        if (actual.allIds().isEmpty() && actual.withoutId().isEmpty()) {
            throw failure("%s", "Topic " + actual.topic() + " is empty, so nothing can be checked");
        }
        if (!actual.withoutId().isEmpty()) {
            throw failure(
                    "%s",
                    actual.withoutId().size() + " messages have no usable message ID according to the extractor of"
                            + " ids(...): " + FailureText.places(actual.withoutId()));
        }
    }

    private void requireKnowledge() {
        if (!actual.countsEffects() && !actual.hasHeard()) {
            throw failure(
                    "%s",
                    "Nothing is known about effects. Call effects(...) to count them; or call timeline(...), and"
                            + " register that timeline as a listener of the Deduplicator with consumer name "
                            + FailureText.name(actual.consumer())
                            + " (call consumer(...) if its name is another one). A listener that isn't decorated adds"
                            + " nothing to a timeline");
        }
    }

    /** An assertion that nothing of some kind happened is worth nothing if what happened was not seen. */
    private void requireTimeline() {
        requireIds();
        if (!actual.eventsWithoutId().isEmpty()) {
            throw failure(
                    "%s",
                    "The deduplicator found no usable ID in messages of topic " + actual.topic()
                            + ", so it isn't known which of them were deferred, or handled without deduplication."
                            + " The first: " + actual.eventsWithoutId().get(0).detail()
                            + ". The extractor of ids(...) must be that of the listener");
        }
        if (!actual.hasHeard()) {
            throw failure(
                    "%s",
                    "The timeline has no events of consumer " + FailureText.name(actual.consumer()) + " on topic "
                            + actual.topic() + ". Register it as a listener of the Deduplicator, pass it to"
                            + " timeline(...), and call consumer(...) if the consumer name isn't the group's name");
        }
        fails("sent again or rewound, but not reported by the deduplicator since" + OTHER_IDS, ids(actual::isUnheard));
        if (ids(actual::isKnown).isEmpty()) {
            fails("on the topic, but the deduplicator has reported others only" + OTHER_IDS, ids(id -> true));
        }
    }

    private ReplayAssert fails(String what, List<String> ids) {
        if (!ids.isEmpty()) {
            throw failure(
                    "%s",
                    FailureText.of(ids.size() + (ids.size() == 1 ? " message " : " messages ") + what, ids, actual));
        }
        return this;
    }
}
