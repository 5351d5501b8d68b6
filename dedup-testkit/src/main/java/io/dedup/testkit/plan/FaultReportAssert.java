package io.dedup.testkit.plan;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.AbstractAssert;

/**
 * What has to be true after a fault plan. Failures name the messages, with what happened to them and the faults meanwhile;
 * IDs are escaped and shortened.
 */
public final class FaultReportAssert extends AbstractAssert<FaultReportAssert, FaultReport> {
    FaultReportAssert(FaultReport report) {
        super(report, FaultReportAssert.class);
    }

    /**
     * Every message took effect exactly once, and was acked after that. A message that is among the dead letters, where
     * {@link Traffic} names those, may have taken none: see {@link #gaveNothingUp()}.
     */
    public FaultReportAssert handledOncePerId() {
        lostNothing();
        return fails("took effect more than once", actual.doubled());
    }

    /** Every message was acked, took effect at least once or is among the dead letters, and wasn't acked before. */
    public FaultReportAssert lostNothing() {
        fails("not acked, and nothing else was for " + actual.atMost(), actual.unacked());
        fails("lost: acked without an effect", actual.lost());
        if (actual.brokenOffAfter() != null) {
            throw failure(
                    "%s",
                    "nothing was acked for " + actual.atMost() + " after " + actual.brokenOffAfter()
                            + ", so that the plan was broken off, though all was acked later\n" + actual);
        }
        return fails("acked before the effect: a crash in between loses it", actual.ackedEarly());
    }

    /** No message without an effect is among the dead letters. */
    public FaultReportAssert gaveNothingUp() {
        return fails("given up: among the dead letters, without an effect", actual.givenUp());
    }

    /**
     * Where a message took effect more than once, every run but one knew that it was a retry, so that it could have looked
     * for the effect of an earlier one. What the mode LEASED promises.
     *
     * @param retries the IDs of effects whose handler saw {@code DedupContext.attempt()} greater than 1, one entry for each
     */
    public FaultReportAssert doubledByRetriesOnly(Collection<String> retries) {
        Map<String, Integer> known = new HashMap<>();
        retries.forEach(id -> known.merge(id, 1, Integer::sum));
        return fails(
                "took effect more than once without knowing of an earlier attempt",
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
