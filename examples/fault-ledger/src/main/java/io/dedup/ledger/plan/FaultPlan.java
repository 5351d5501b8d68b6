package io.dedup.ledger.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The faults and their order: decided by the seed alone, the same for every row. */
public final class FaultPlan {
    /** How many consumer processes there are to hit. */
    public static final int CONSUMERS = 2;

    private static final int VARIANTS = 3;
    private static final int MAX_MOMENT = 250;
    private static final int MIN_CUT = 200;
    private static final int MAX_CUT = 3_500;

    /** Every kind once, and those twice whose moment matters most. */
    private static final List<FaultKind> ROUND = List.of(
            FaultKind.KILL,
            FaultKind.STORE_CUT,
            FaultKind.SLOW,
            FaultKind.FAIL,
            FaultKind.PAUSE,
            FaultKind.LOST_REPLIES,
            FaultKind.KILL,
            FaultKind.STORE_RESTART,
            FaultKind.POISON,
            FaultKind.REBALANCE,
            FaultKind.STORE_FLUSH,
            FaultKind.LOST_REPLIES,
            FaultKind.COMMIT_FAILS,
            FaultKind.WAKE_UP,
            FaultKind.REBALANCE_HELD);

    /**
     * A fault.
     *
     * @param moment milliseconds after its messages began to be sent
     * @param victim which consumer process
     * @param millis how long it lasts, where it lasts
     * @param variant which of the ways to do it, from 0 to 2
     */
    public record Fault(FaultKind kind, int moment, int victim, int millis, int variant) {}

    private FaultPlan() {}

    /** @throws IllegalArgumentException for kinds that there aren't */
    public static List<Fault> of(RunSize size) {
        int faults = size.faults();
        List<FaultKind> of = round(size.kinds());
        Random random = new Random(size.seed());
        List<FaultKind> kinds = new ArrayList<>();
        while (kinds.size() < faults) {
            List<FaultKind> round = new ArrayList<>(of);
            if (faults >= of.size()
                    || size.kinds().equals(RunSize.DRAWN)) { // else the first ones, in the order of what they teach
                Collections.shuffle(round, random);
            }
            kinds.addAll(round);
        }
        List<Fault> plan = new ArrayList<>();
        for (int i = 0; i < faults; i++) {
            plan.add(new Fault(
                    kinds.get(i),
                    random.nextInt(MAX_MOMENT),
                    i % CONSUMERS,
                    MIN_CUT + random.nextInt(MAX_CUT - MIN_CUT),
                    random.nextInt(VARIANTS)));
        }
        return plan;
    }

    private static List<FaultKind> round(String kinds) {
        if (kinds.equals(RunSize.ALL) || kinds.equals(RunSize.DRAWN)) {
            return ROUND;
        }
        return Arrays.stream(kinds.split("\\+", -1)).map(FaultKind::of).toList();
    }
}
