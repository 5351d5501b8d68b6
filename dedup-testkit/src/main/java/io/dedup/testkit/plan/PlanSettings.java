package io.dedup.testkit.plan;

import java.time.Duration;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The settings that determine a plan.
 *
 * @param times how often each kind of fault happens
 * @param longest the maximum duration of a fault
 */
record PlanSettings(long seed, int messages, Set<Fault> faults, int times, Duration longest) {
    static final String SEED = "dedup.fault-plan.seed";
    static final String MESSAGES = "dedup.fault-plan.messages";
    static final String TIMES = "dedup.fault-plan.times";

    private static final Duration LONGEST = Duration.ofSeconds(3);
    /** A plan of this size takes one to two minutes, and more on a slow machine. */
    private static final Duration LIMIT = Duration.ofMinutes(15);

    private static final int TIMES_IN_LIMIT = 2;
    private static final int MESSAGES_IN_LIMIT = 500;

    PlanSettings {
        faults = Set.copyOf(faults);
        check(messages > 0, "messages must be positive, but is " + messages);
        check(times > 0, "times must be positive, but is " + times);
        check(!faults.isEmpty(), "faults must contain at least one fault");
        long steps = (long) times
                * faults.stream().filter(fault -> fault != Fault.COPIES).count();
        check(
                messages >= steps,
                "messages must be at least " + steps + ", but is " + messages + ": with times=" + times
                        + ", that many faults happen, and one without a message hits nothing");
        check(
                longest.compareTo(Duration.ofMillis(100)) >= 0,
                "faultsLast(...) must be at least 100 ms, but is " + longest);
    }

    /** With the overrides from this JVM's system properties. */
    static PlanSettings of(long seed, int messages, int times, Collection<Fault> faults) {
        return new PlanSettings(
                seed(System.getProperty(SEED), seed),
                Math.toIntExact(number(MESSAGES, messages)),
                faults.isEmpty() ? Set.of() : EnumSet.copyOf(faults),
                Math.toIntExact(number(TIMES, times)),
                LONGEST);
    }

    private static long seed(@Nullable String property, long otherwise) {
        return "random".equals(property) ? ThreadLocalRandom.current().nextLong(1_000_000) : number(SEED, otherwise);
    }

    private static long number(String name, long otherwise) {
        String text = System.getProperty(name);
        try {
            return text == null ? otherwise : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-D" + name + " must be a number, but is " + text, e);
        }
    }

    /** How long a test may take, unless it says so itself. */
    Duration limit() {
        double parts = Math.max((double) times / TIMES_IN_LIMIT, (double) messages / MESSAGES_IN_LIMIT);
        return LIMIT.multipliedBy((long) Math.ceil(Math.max(1, parts)));
    }

    PlanSettings lasting(Duration atMost) {
        return new PlanSettings(seed, messages, faults, times, atMost);
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
