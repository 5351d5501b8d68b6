package io.dedup.ledger.rocketmq.plan;

import io.dedup.ledger.plan.RunSize;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The faults and their order: decided by the seed alone, the same for every row. */
public final class FaultPlan {
    /** How many consumer processes there are to hit. */
    public static final int CONSUMERS = 2;

    private static final int VARIANTS = 4;
    private static final int MAX_MOMENT = 400;
    private static final int MIN_MILLIS = 200;
    private static final int MAX_MILLIS = 4_000;

    /** Every kind once, and those twice whose moment matters most. */
    private static final List<FaultKind> ROUND = List.of(
            FaultKind.POISON,
            FaultKind.KILL,
            FaultKind.SLOW,
            FaultKind.STORE_CUT,
            FaultKind.FAIL,
            FaultKind.LOST_REPLIES,
            FaultKind.BROKER_CUT,
            FaultKind.PAUSE,
            FaultKind.KILL,
            FaultKind.BROKER_KILL,
            FaultKind.STORE_RESTART,
            FaultKind.DEPLOY,
            FaultKind.STORE_FLUSH,
            FaultKind.STORE_SLOW,
            FaultKind.BROKER_RESTART);

    /**
     * A fault.
     *
     * @param moment milliseconds after its messages began to be sent
     * @param victim which consumer process
     * @param millis how long it lasts, where it lasts
     * @param variant which of the ways to do it, from 0 to 3
     */
    public record Fault(FaultKind kind, int moment, int victim, int millis, int variant) {}

    private FaultPlan() {}

    /** @throws IllegalArgumentException for kinds that there aren't */
    public static List<Fault> of(RunSize size) {
        List<FaultKind> of = round(size.kinds());
        Random random = new Random(size.seed());
        List<FaultKind> kinds = new ArrayList<>();
        while (kinds.size() < size.faults()) {
            List<FaultKind> round = new ArrayList<>(of);
            if (size.faults() >= of.size()) { // else the first ones, in the order of what they teach
                Collections.shuffle(round, random);
            }
            kinds.addAll(round);
        }
        List<Fault> plan = new ArrayList<>();
        for (int i = 0; i < size.faults(); i++) {
            plan.add(new Fault(
                    kinds.get(i),
                    random.nextInt(MAX_MOMENT),
                    random.nextInt(CONSUMERS),
                    MIN_MILLIS + random.nextInt(MAX_MILLIS - MIN_MILLIS),
                    random.nextInt(VARIANTS)));
        }
        return plan;
    }

    private static List<FaultKind> round(String kinds) {
        if (kinds.equals(RunSize.ALL)) {
            return ROUND;
        }
        return Arrays.stream(kinds.split("\\+", -1)).map(FaultKind::of).toList();
    }
}
