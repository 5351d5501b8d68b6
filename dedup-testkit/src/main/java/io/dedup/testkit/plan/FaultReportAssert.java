package io.dedup.testkit.plan;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the result of a fault plan. Failures list the messages, with what happened to them and the faults
 * meanwhile; IDs are escaped and shortened.
 */
public final class FaultReportAssert extends AbstractAssert<FaultReportAssert, FaultReport> {
    FaultReportAssert(FaultReport report) {
        super(report, FaultReportAssert.class);
    }

    /**
     * Asserts that every message took effect exactly once, and was acknowledged after that. A message among the dead
     * letters, if {@link Traffic} knows these, may have taken no effect: see {@link #gaveNothingUp()}.
     */
    public FaultReportAssert handledOncePerId() {
        lostNothing();
        return fails("took effect more than once", actual.doubled());
    }

    /**
     * Asserts that every message was acknowledged, and took effect at least once before that or is among the dead
     * letters.
     */
    public FaultReportAssert lostNothing() {
        fails("not acknowledged; no progress for " + actual.atMost(), actual.unacked());
        fails("lost: acknowledged without an effect", actual.lost());
        if (actual.brokenOffAfter() != null) {
            throw failure(
                    "%s",
                    "No message was acknowledged for " + actual.atMost() + " after " + actual.brokenOffAfter()
                            + ", so the plan was cut short; all messages were acknowledged later\n" + actual);
        }
        return fails("acknowledged before the effect: a crash in between would lose it", actual.ackedEarly());
    }

    /** Asserts that no message without an effect is among the dead letters. */
    public FaultReportAssert gaveNothingUp() {
        return fails("given up: dead-lettered without an effect", actual.givenUp());
    }

    /**
     * Asserts that whenever a message took effect more than once, all runs except one knew that they were retries, so
     * that they could have checked for the effect of an earlier one. This is what mode LEASED guarantees.
     *
     * @param retries the IDs of effects whose handler saw {@code DedupContext.attempt()} greater than 1, one entry for
     *     each
     */
    public FaultReportAssert doubledByRetriesOnly(Collection<String> retries) {
        Map<String, Integer> known = new HashMap<>();
        retries.forEach(id -> known.merge(id, 1, Integer::sum));
        return fails(
                "took effect more than once, in runs that weren't marked as retries (attempt() was 1)",
                actual.doubled().stream()
                        .filter(id -> actual.handled(id) - known.getOrDefault(id, 0) > 1)
                        .toList());
    }

    private FaultReportAssert fails(String what, List<String> ids) {
        if (!ids.isEmpty()) {
            throw failure(
                    "%s", PlanText.of(ids.size() + (ids.size() == 1 ? " message " : " messages ") + what, ids, actual));
        }
        return this;
    }
}
