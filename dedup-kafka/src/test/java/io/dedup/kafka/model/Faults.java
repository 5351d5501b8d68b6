package io.dedup.kafka.model;

/** How often something may still go wrong. */
final class Faults {
    private final int[] limits = new int[Fault.values().length];
    private final int altogether;

    Faults(Setup setup) {
        for (Fault fault : Fault.values()) {
            limits[fault.number] = setup.limit(fault);
        }
        altogether = setup.faults();
    }

    boolean isLeft(State state, Fault fault) {
        return state.get(State.SPENT_ALTOGETHER) < altogether
                && state.get(State.SPENT + fault.number) < limits[fault.number];
    }

    void spend(State state, Fault fault) {
        int slot = State.SPENT + fault.number;
        state.set(slot, state.get(slot) + 1);
        state.set(State.SPENT_ALTOGETHER, state.get(State.SPENT_ALTOGETHER) + 1);
    }
}
