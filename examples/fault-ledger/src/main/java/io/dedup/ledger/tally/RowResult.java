package io.dedup.ledger.tally;

import io.dedup.ledger.plan.Contender;
import io.dedup.ledger.plan.RunSize;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened to a row's messages.
 *
 * @param combination under which circumstances, as people read them
 * @param date when it was measured
 * @param expected effects: one for each message that isn't poison
 * @param effects that were counted
 * @param lost messages that were acknowledged with neither effect nor dead letter
 * @param doubled effects beyond a message's first, those after a loss of data excepted
 * @param recognizable how many of the doubled had an attempt above 1, which their handlers could see
 * @param firstWarned first effects with an attempt above 1: an earlier attempt was claimed, and perhaps never began
 * @param afterLoss effects beyond a message's first, where the store had lost its data since the message was sent
 * @param stuck messages that weren't acknowledged within the bound, and had no effect
 * @param deadLettered messages that aren't poison, and were given up
 * @param p50 milliseconds from the first sending to the first effect, of every second message at most
 * @param p99 the same, of all but every hundredth
 * @param roundTrips to the store, for each message
 */
public record RowResult(
        Contender row,
        RunSize size,
        String combination,
        LocalDate date,
        int expected,
        int effects,
        int lost,
        int doubled,
        int recognizable,
        int firstWarned,
        int afterLoss,
        int stuck,
        int deadLettered,
        long p50,
        long p99,
        double roundTrips) {
    /** The promises of dedup that were broken in this row; empty for other schemes. */
    public List<String> brokenPromises() {
        List<String> broken = new ArrayList<>();
        if (row.isOurs()) {
            check(lost == 0, lost + " lost", broken);
            check(stuck == 0, stuck + " stuck", broken);
            check(deadLettered == 0, deadLettered + " given up", broken);
            check(
                    !row.showsAttempts() || doubled == recognizable,
                    (doubled - recognizable) + " doubled with attempt 1",
                    broken);
            check(doubled == 0 || size.mayDouble(), doubled + " doubled, and no fault that explains it", broken);
            check(!row.isExact() || effects == expected, effects + " effects instead of " + expected, broken);
        }
        return broken;
    }

    private static void check(boolean kept, String otherwise, List<String> broken) {
        if (!kept) {
            broken.add(otherwise);
        }
    }
}
