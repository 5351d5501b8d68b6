package io.dedup.testkit.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A replay that hasn't started: which messages are replayed, how often and how. Immutable; {@link #bySendingAgain()} or
 * {@link #byRewinding()} starts it: waits until all {@linkplain TopicReplay#expect expected} messages are on the topic,
 * chooses, replays, waits until everything is consumed, and returns a report.
 */
public final class Replay {
    private final TopicReplay on;
    private final String what;
    private final boolean rewindable;
    private final Predicate<TopicMessage> which;
    private final int times;
    private final @Nullable Long seed;
    private final @Nullable Runnable traffic;

    Replay(
            TopicReplay on,
            String what,
            boolean rewindable,
            Predicate<TopicMessage> which,
            int times,
            @Nullable Long seed,
            @Nullable Runnable traffic) {
        this.on = on;
        this.what = what;
        this.rewindable = rewindable;
        this.which = which;
        this.times = times;
        this.seed = seed;
        this.traffic = traffic;
    }

    /**
     * How often each chosen message is replayed; 1 by default.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public Replay times(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("times must be at least 1, but is " + count);
        }
        return new Replay(on, what, rewindable, which, count, seed, traffic);
    }

    /**
     * Sends the copies in a random order, which is the same for the same seed; each copy goes to the partition of its
     * original. Not possible with rewinding.
     */
    public Replay shuffled(long orderSeed) {
        return new Replay(on, what, rewindable, which, times, orderSeed, traffic);
    }

    /** Runs live traffic on another thread during the replay. The report includes the messages that it has sent. */
    public Replay alongside(Runnable liveTraffic) {
        return new Replay(on, what, rewindable, which, times, seed, liveTraffic);
    }

    /**
     * Sends the chosen messages again, like a producer that hasn't received an answer.
     *
     * @throws IllegalArgumentException when no message on the topic is chosen
     * @throws AssertionError when the application doesn't consume everything in time
     */
    public ReplayReport bySendingAgain() {
        List<TopicMessage> all = on.consumption().awaitExpected();
        List<TopicMessage> chosen = chosenOf(all);
        List<TopicMessage> copies = new ArrayList<>(chosen.size() * times);
        for (int i = 0; i < times; i++) {
            copies.addAll(chosen);
        }
        if (seed != null) {
            Collections.shuffle(copies, new Random(seed));
        }
        on.consumption().awaitCopies(all, copies);
        CompletableFuture<?> live = begin();
        copies.forEach(copy -> on.note(copy, Timeline.Kind.SENT_AGAIN, "copy of " + copy.place(), "replay"));
        on.broker().sendAgain(copies);
        end(live);
        return on.consumption().await();
    }

    /**
     * Makes the group read again, as an operator would: from the earliest chosen message of each partition on,
     * everything is redelivered. Before each repetition, it waits until everything is consumed.
     *
     * @throws IllegalArgumentException when no message on the topic is chosen
     * @throws IllegalStateException when the choice has an end or an order, or the broker cannot rewind, for example
     *     because it has deleted the first messages since they were chosen
     * @throws AssertionError when the application doesn't consume everything in time
     */
    public ReplayReport byRewinding() {
        if (!rewindable || seed != null) {
            throw new IllegalStateException(
                    "Cannot rewind: rewinding redelivers everything from the first chosen message on, in the"
                            + " original order. For " + what + (seed == null ? "" : " in another order")
                            + ", use bySendingAgain()");
        }
        List<TopicMessage> chosen = chosenOf(on.consumption().awaitExpected());
        ReplayReport unused = on.consumption().await(); // messages that aren't consumed yet would be read only once
        CompletableFuture<?> live = begin();
        for (int i = 0; i < times; i++) {
            on.consumption().forget(chosen);
            chosen.forEach(message -> on.note(message, Timeline.Kind.REWOUND, message.place(), "replay"));
            on.broker().rewind(chosen);
            unused = on.consumption().await();
        }
        end(live);
        return on.consumption().await();
    }

    private List<TopicMessage> chosenOf(List<TopicMessage> all) {
        boolean unused = on.consumption().look(all);
        List<TopicMessage> chosen = all.stream().filter(which).toList();
        if (chosen.isEmpty()) {
            throw new IllegalArgumentException("Nothing to replay: none of the " + all.size() + " messages on topic "
                    + on.broker().topic() + " matches the choice (" + what + ")");
        }
        return chosen;
    }

    private CompletableFuture<?> begin() {
        return traffic == null ? CompletableFuture.completedFuture(null) : CompletableFuture.runAsync(traffic);
    }

    private static void end(CompletableFuture<?> live) {
        try {
            Object unused = live.join();
        } catch (CompletionException e) {
            throw new IllegalStateException("The live traffic of alongside(...) failed: " + e.getCause(), e.getCause());
        }
    }
}
