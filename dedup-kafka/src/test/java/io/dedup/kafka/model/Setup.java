package io.dedup.kafka.model;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * What is explored.
 *
 * @param limits how often each fault may happen; what isn't named doesn't
 * @param faults how many faults may happen altogether
 */
record Setup(
        Layout layout,
        Protocol protocol,
        Handling handling,
        Map<Fault, Integer> limits,
        int faults,
        Set<Mistake> mistakes,
        Set<Rule> unchecked) {

    /** How a group's partitions change hands. */
    enum Protocol {
        /** Everything is revoked before a rebalance. */
        EAGER,
        /** What stays goes on, also during the rebalance. */
        COOPERATIVE
    }

    /** When a record is finished. */
    enum Handling {
        /** When its listener returns; offsets are committed before the next poll (ack mode BATCH). */
        AT_RETURN,
        /** When its listener returns; its offset is committed at once (ack mode RECORD). */
        EACH_COMMITTED,
        /** When a worker of its own acknowledges it, in any order (ack mode MANUAL). */
        ON_WORKERS
    }

    Setup {
        limits = Map.copyOf(limits);
        mistakes = Set.copyOf(mistakes);
        unchecked = Set.copyOf(unchecked);
    }

    static Setup of(Layout layout, Protocol protocol, Handling handling) {
        return new Setup(layout, protocol, handling, Map.of(), 0, Set.of(), Set.of());
    }

    /** With these faults, so many altogether. */
    Setup with(Map<Fault, Integer> more, int altogether) {
        Map<Fault, Integer> all = new EnumMap<>(Fault.class);
        all.putAll(limits);
        all.putAll(more);
        return new Setup(layout, protocol, handling, all, altogether, mistakes, unchecked);
    }

    Setup with(Mistake... planted) {
        return new Setup(layout, protocol, handling, limits, faults, Set.of(planted), unchecked);
    }

    Setup without(Rule rule) {
        Set<Rule> more = EnumSet.of(rule);
        more.addAll(unchecked);
        return new Setup(layout, protocol, handling, limits, faults, mistakes, more);
    }

    int limit(Fault fault) {
        return limits.getOrDefault(fault, 0);
    }

    boolean has(Mistake mistake) {
        return mistakes.contains(mistake);
    }

    boolean isEager() {
        return protocol == Protocol.EAGER;
    }

    boolean commitsEach() {
        return handling == Handling.EACH_COMMITTED;
    }

    boolean onWorkers() {
        return handling == Handling.ON_WORKERS;
    }
}
