package io.dedup.testkit.faults;

import io.dedup.DedupKey;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A fault of a {@link FaultyStore}. Immutable; each method that narrows a fault returns a new one.
 *
 * <pre>{@code
 * StoreFault.after(COMPLETE).times(2)                    // two completions are applied, but their replies are lost
 * StoreFault.before(CLAIM).share(0.1, 42)                // one claim in ten fails, the same ones in each run
 * StoreFault.before().forKeys(key -> key.messageId().equals("p-7"))
 * StoreFault.slow(Duration.ofSeconds(3), RENEW)
 * }</pre>
 */
public final class StoreFault {
    /** An operation of a store. */
    public enum Operation {
        /** {@code claim}. */
        CLAIM,
        /** {@code complete}. */
        COMPLETE,
        /** {@code release}. */
        RELEASE,
        /** {@code renew}. */
        RENEW,
        /** {@code keepSteps}. */
        STEP,
        /** {@code find}, {@code findStuck}, {@code forget}, {@code forceDone}, {@code forgetAll}. */
        OPERATOR,
        /** {@code ping}. */
        PING
    }

    enum Moment {
        BEFORE,
        AFTER
    }

    private final Moment moment;
    private final Set<Operation> operations;
    private final @Nullable Duration delay;
    private final @Nullable Predicate<DedupKey> keys;
    private final int skipped;
    private final int times;
    private final double share;
    private final long seed;

    private StoreFault(
            Moment moment,
            Set<Operation> operations,
            @Nullable Duration delay,
            @Nullable Predicate<DedupKey> keys,
            int skipped,
            int times,
            double share,
            long seed) {
        this.moment = moment;
        this.operations = operations;
        this.delay = delay;
        this.keys = keys;
        this.skipped = skipped;
        this.times = times;
        this.share = share;
        this.seed = seed;
    }

    /**
     * Fails calls before anything is applied.
     *
     * @param operations the affected operations; all if none is given
     */
    public static StoreFault before(Operation... operations) {
        return new StoreFault(Moment.BEFORE, set(operations), null, null, 0, Integer.MAX_VALUE, 1, 0);
    }

    /**
     * Applies calls, then fails: the reply is lost.
     *
     * @param operations the affected operations; all if none is given
     */
    public static StoreFault after(Operation... operations) {
        return new StoreFault(Moment.AFTER, set(operations), null, null, 0, Integer.MAX_VALUE, 1, 0);
    }

    /**
     * Delays calls, then applies them; {@link FaultyStore#heal()} ends the delay.
     *
     * @param delay positive
     * @param operations the affected operations; all if none is given
     * @throws IllegalArgumentException when the delay isn't positive
     */
    public static StoreFault slow(Duration delay, Operation... operations) {
        if (delay.isNegative() || delay.isZero()) {
            throw new IllegalArgumentException("delay must be positive, but is " + delay);
        }
        return new StoreFault(Moment.BEFORE, set(operations), delay, null, 0, Integer.MAX_VALUE, 1, 0);
    }

    private static Set<Operation> set(Operation... operations) {
        Set<Operation> set = EnumSet.allOf(Operation.class);
        if (operations.length > 0) {
            set.retainAll(Set.of(operations));
        }
        return set;
    }

    /**
     * Affects only these keys; the other keys of a call are served. Calls without keys, such as {@code ping}, are
     * served too.
     *
     * @param which must depend on its argument only; called on the callers' threads
     */
    public StoreFault forKeys(Predicate<DedupKey> which) {
        Objects.requireNonNull(which, "which");
        return new StoreFault(moment, operations, delay, which, skipped, times, share, seed);
    }

    /**
     * Lets this many matching calls pass before the first hit.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public StoreFault skipping(int calls) {
        return new StoreFault(moment, operations, delay, keys, notNegative("skipping", calls), times, share, seed);
    }

    /**
     * Affects this many calls, then ends.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public StoreFault times(int calls) {
        return new StoreFault(moment, operations, delay, keys, skipped, notNegative("times", calls), share, seed);
    }

    /**
     * Affects this share of the calls, chosen at random.
     *
     * @param part from 0 to 1
     * @param randomSeed decides which calls: the same calls in the same order are affected in the same way
     * @throws IllegalArgumentException when the share is out of range
     */
    public StoreFault share(double part, long randomSeed) {
        if (!(part >= 0 && part <= 1)) {
            throw new IllegalArgumentException("share must be from 0 to 1, but is " + part);
        }
        return new StoreFault(moment, operations, delay, keys, skipped, times, part, randomSeed);
    }

    private static int notNegative(String what, int calls) {
        if (calls < 0) {
            throw new IllegalArgumentException(what + " must not be negative, but is " + calls);
        }
        return calls;
    }

    Moment moment() {
        return moment;
    }

    boolean isFor(Operation operation) {
        return operations.contains(operation);
    }

    @Nullable
    Duration delay() {
        return delay;
    }

    /** @param key null for a call without a key */
    boolean isFor(@Nullable DedupKey key) {
        return keys == null || (key != null && keys.test(key));
    }

    int skipped() {
        return skipped;
    }

    int times() {
        return times;
    }

    double share() {
        return share;
    }

    long seed() {
        return seed;
    }
}
