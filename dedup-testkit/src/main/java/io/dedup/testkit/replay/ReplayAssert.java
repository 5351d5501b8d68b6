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
 * What has to be true after a replay. Failures name the messages, with their places on the topic and what happened to
 * them; IDs are escaped and shortened.
 */
public final class ReplayAssert extends AbstractAssert<ReplayAssert, ReplayReport> {
    ReplayAssert(ReplayReport report) {
        super(report, ReplayAssert.class);
    }

    /**
     * The promise: every ID on the topic took effect exactly once, and no copy was acked before. Fails as well when the
     * topic is empty, when messages have no usable ID, and when nothing can be known because neither effects nor a
     * timeline were given.
     */
    public ReplayAssert handledOncePerId() {
        lostNothing();
        List<String> doubled = ids(id -> actual.handled(id) > 1);
        return fails("took effect more than once", doubled);
    }

    /**
     * Every ID, on the topic or expected, took effect at least once, and, where effects were given, nothing was seen acked
     * before its effect. Fails as well where nothing can be known, as {@link #handledOncePerId} does.
     */
    public ReplayAssert lostNothing() {
        requireKnowledge();
        fails("expected, and not on the topic", ids(actual::isMissing));
        requireIds();
        fails("lost: acked without an effect", ids(id -> actual.handled(id) == 0));
        return fails("acked before the effect: a crash in between loses it", ids(id -> actual.ackedEarly(id) != null));
    }

    /**
     * Copies of what was done were recognised and acked, not run: of each ID of which there are several copies, or which
     * was brought again, at least one was a duplicate; none was a conflict or poison. Needs a timeline.
     */
    public ReplayAssert ackedDuplicates() {
        requireTimeline();
        if (ids(this::cameAgain).isEmpty()) {
            throw failure("%s", "no message came again: nothing is proven about duplicates");
        }
        fails("came again, and was never taken for a duplicate", ids(id -> cameAgain(id) && !has(id, DUPLICATE)));
        return fails("was rejected", ids(id -> has(id, CONFLICT) || has(id, POISON)));
    }

    /** Nothing had to wait for a running copy, or for the store. Needs a timeline. */
    public ReplayAssert deferredNothing() {
        requireTimeline();
        return fails("was deferred", ids(id -> has(id, DEFERRED)));
    }

    /** Exactly these messages had to wait, and came again. Needs a timeline. */
    public ReplayAssert deferredOnly(String... deferredIds) {
        requireTimeline();
        Set<String> wanted = Set.of(deferredIds);
        fails("should have been deferred, and wasn't", ids(id -> wanted.contains(id) && !has(id, DEFERRED)));
        fails("was deferred", ids(id -> !wanted.contains(id) && has(id, DEFERRED)));
        Set<String> unknown = new TreeSet<>(wanted);
        unknown.removeAll(actual.allIds());
        return fails("should have been deferred, and is unknown", List.copyOf(unknown));
    }

    /** Every run had a claim: none ran by a policy that does without. Needs a timeline. */
    public ReplayAssert ranNothingUnguarded() {
        requireTimeline();
        return fails("ran unguarded", ids(id -> has(id, UNGUARDED)));
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
            throw failure("%s", "topic " + actual.topic() + " is empty: nothing is proven");
        }
        if (!actual.withoutId().isEmpty()) {
            throw failure(
                    "%s",
                    actual.withoutId().size() + " messages have no usable ID, as the extractor that ids(...) was given"
                            + " finds it: " + FailureText.places(actual.withoutId()));
        }
    }

    private void requireKnowledge() {
        if (!actual.countsEffects() && !actual.hasHeard()) {
            throw failure(
                    "%s",
                    "nothing is known about effects: give effects(...), or timeline(...) and add that timeline as a"
                            + " listener of the deduplicator with consumer " + FailureText.name(actual.consumer())
                            + " (or name its consumer(...)); an undecorated listener is told to no timeline");
        }
    }

    private void requireTimeline() {
        requireIds();
        if (!actual.hasHeard()) {
            throw failure(
                    "%s",
                    "the timeline has heard nothing of consumer " + FailureText.name(actual.consumer()) + " on topic "
                            + actual.topic() + ": add it as a listener of the deduplicator, give it to"
                            + " timeline(...), and name the consumer if that isn't the group");
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
