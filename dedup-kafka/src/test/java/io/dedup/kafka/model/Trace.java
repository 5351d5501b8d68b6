package io.dedup.kafka.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/** Says in words how a state is reached. */
final class Trace {
    private final Model model;
    private final StateTable states;
    private final List<String> words = new ArrayList<>();
    private final long[] packed = new long[State.LONGS];

    Trace(Model model, StateTable states) {
        this.model = model;
        this.states = states;
    }

    /** The steps to this state. */
    List<String> to(int index) {
        walk(index);
        return words;
    }

    /** The steps to this state, and from there one that breaks the rule. */
    List<String> through(int index, Rule rule) {
        State state = walk(index);
        follow(state, next -> model.broken(next) == rule);
        return words;
    }

    private State walk(int index) {
        Deque<Integer> path = new ArrayDeque<>();
        for (int at = index; at >= 0; at = states.parent(at)) {
            path.push(at);
        }
        int first = path.pop();
        State state = model.first().stream()
                .filter(each -> isSame(each, first))
                .findFirst()
                .orElseThrow();
        for (int each : path) {
            state = follow(state, next -> isSame(next, each));
        }
        return state;
    }

    private boolean isSame(State state, int index) {
        state.pack(packed);
        return states.isSame(index, packed);
    }

    private State follow(State state, Predicate<State> wanted) {
        List<State> found = new ArrayList<>(1);
        model.from(state, (next, fault, said) -> {
            if (found.isEmpty() && wanted.test(next)) {
                found.add(next);
                words.add(said.get());
            }
        });
        return found.get(0);
    }
}
