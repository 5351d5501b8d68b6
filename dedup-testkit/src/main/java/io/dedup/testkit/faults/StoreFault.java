package io.dedup.testkit.faults;

import io.dedup.DedupKey;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link FaultyStore} does wrong. Immutable; each method that narrows a fault returns a new one.
 *
 * <pre>{@code
 * StoreFault.after(COMPLETE).times(2)                    // two completions are applied, and their replies lost
 * StoreFault.before(CLAIM).share(0.1, 42)                // every tenth claim fails, the same ones each time
 * StoreFault.before().forKeys(key -> key.messageId().equals("p-7"))
 * StoreFault.slow(Duration.ofSeconds(3), RENEW)
 * }</pre>
 */
public final class StoreFault {
    /** What a store is asked for; single calls and batches alike. */
    public enum Operation {
        CLAIM,
        COMPLETE,
        RELEASE,
        RENEW,
        /** {@code find}, {@code forget}, {@code forceDone}, {@code forgetAll}. */
        OPERATOR,
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
     * Fails before anything is applied.
     *
     * @param operations which; all when none is given
     */
    public static StoreFault before(Operation... operations) {
        return new StoreFault(Moment.BEFORE, set(operations), null, null, 0, Integer.MAX_VALUE, 1, 0);
    }

    /**
     * Applies what was asked for, then fails: the reply is lost.
     *
     * @param operations which; all when none is given
     */
    public static StoreFault after(Operation... operations) {
        return new StoreFault(Moment.AFTER, set(operations), null, null, 0, Integer.MAX_VALUE, 1, 0);
    }

    /**
     * Waits, then does what was asked for; {@link FaultyStore#heal()} ends the wait.
     *
     * @param delay positive
     * @param operations which; all when none is given
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
     * Strikes only these keys; the others of a batch are served. Calls without keys ({@code ping}) are served, too.
     *
     * @param which looks at nothing but its argument; called on the callers' threads
     */
    public StoreFault forKeys(Predicate<DedupKey> which) {
        Objects.requireNonNull(which, "which");
        return new StoreFault(moment, operations, delay, which, skipped, times, share, seed);
    }

    /** Lets this many calls pass that it would strike, then begins. */
    public StoreFault skipping(int calls) {
        return new StoreFault(moment, operations, delay, keys, notNegative("skipping", calls), times, share, seed);
    }

    /** Strikes this many calls, then ends. */
    public StoreFault times(int calls) {
        return new StoreFault(moment, operations, delay, keys, skipped, notNegative("times", calls), share, seed);
    }

    /**
     * Strikes this share of the calls, by chance.
     *
     * @param part from 0 to 1
     * @param randomSeed decides which: the same calls in the same order are struck alike
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

    /** @param key null for a call that is about none */
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
