package io.dedup.kafka.model;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Goes through all states that can be reached, those with the fewest steps first, so that the first one that breaks a rule has a
 * shortest trace.
 */
final class Exploration {
    private static final int NONE = -1;

    private final Setup setup;
    private final Model model;
    private final StateTable states = new StateTable();
    private final Edges backwards = new Edges();
    private final long[] packed = new long[State.LONGS];
    private final List<Integer> levels = new ArrayList<>();
    private long transitions;
    private @Nullable Rule broken;
    /** The state that is stuck, or the one before the rule is broken. */
    private int last = NONE;

    private Exploration(Setup setup) {
        this.setup = setup;
        this.model = new Model(setup);
    }

    static Finding of(Setup setup) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        Exploration exploration = new Exploration(setup);
        exploration.run();
        return exploration.finding((threads.getCurrentThreadCpuTime() - begin) / 1_000_000);
    }

    private void run() {
        for (State state : model.first()) {
            reach(state, NONE);
        }
        for (int index = 0; index < states.size() && broken == null; index++) {
            if (levels.isEmpty() || index > levels.get(levels.size() - 1)) {
                levels.add(states.size() - 1);
            }
            int from = index;
            model.from(states.get(index), (next, fault, words) -> {
                transitions++;
                int to = reach(next, from);
                if (!fault) {
                    backwards.add(to, from);
                }
            });
        }
        if (broken == null && !setup.unchecked().contains(Rule.NEVER_STUCK)) {
            findStuck();
        }
    }

    private int reach(State state, int from) {
        Rule rule = broken == null ? model.broken(state) : null;
        if (rule != null) {
            broken = rule;
            last = from;
        }
        state.pack(packed);
        return states.add(packed, from);
    }

    /** A state from which no way without another fault leads to the end. */
    private void findStuck() {
        boolean[] ends = new boolean[states.size()];
        int[] queue = new int[states.size()];
        int size = 0;
        for (int index = 0; index < states.size(); index++) {
            if (model.isDone(states.get(index))) {
                ends[index] = true;
                queue[size++] = index;
            }
        }
        backwards.sort(states.size());
        for (int i = 0; i < size; i++) {
            for (int at = backwards.begin(queue[i]); at < backwards.end(queue[i]); at++) {
                int before = backwards.to(at);
                if (!ends[before]) {
                    ends[before] = true;
                    queue[size++] = before;
                }
            }
        }
        for (int index = 0; index < ends.length && broken == null; index++) {
            if (!ends[index]) {
                last = index;
                broken = Rule.NEVER_STUCK;
            }
        }
    }

    private Finding finding(long cpuMillis) {
        return new Finding(setup, states.size(), transitions, levels.size() - 1, cpuMillis, broken, trace());
    }

    private List<String> trace() {
        if (broken == null) {
            return List.of();
        }
        Trace trace = new Trace(model, states);
        return broken == Rule.NEVER_STUCK ? trace.to(last) : trace.through(last, broken);
    }
}
