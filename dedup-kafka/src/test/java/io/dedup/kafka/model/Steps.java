package io.dedup.kafka.model;

import java.util.function.Supplier;

/** Takes the steps that are possible in a state. */
@FunctionalInterface
interface Steps {
    /**
     * @param next the state after the step; not changed any more
     * @param fault whether something goes wrong in it that needn't
     * @param words what happens
     */
    void step(State next, boolean fault, Supplier<String> words);

    static String name(int consumer) {
        return consumer == 0 ? "A" : "B";
    }
}
