package io.dedup.rocketmq;

import io.dedup.rocketmq.internal.loop.ConsumerLoop;
import io.dedup.rocketmq.internal.loop.LoopSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Settings of a {@link SimpleConsumerLoop}. Not thread-safe. */
public final class SimpleConsumerLoopBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(12); // the broker's own limit

    private final Function<LoopSettings, ConsumerLoop> starting;
    private int concurrency = 20;
    private int batchSize = 32;
    private Duration invisibleDuration = Duration.ofSeconds(30);
    private Duration shutdownTimeout = Duration.ofSeconds(30);
    private IntFunction<Duration> retryDelay = SimpleConsumerLoopBuilder::defaultRetryDelay;

    SimpleConsumerLoopBuilder(Function<LoopSettings, ConsumerLoop> starting) {
        this.starting = starting;
    }

    /** How many handlers run at once; 20 by default. Messages of one message group run one after the other. */
    public SimpleConsumerLoopBuilder concurrency(int handlers) {
        concurrency = positive("concurrency", handlers);
        return this;
    }

    /**
     * How many messages are received, and claimed, at once; 32 by default. Of a message group only the first is claimed then,
     * the others at their turns. On a FIFO topic, messages behind one that fails are received again with it, and their
     * delivery attempts go up with its own; 1 prevents that.
     */
    public SimpleConsumerLoopBuilder batchSize(int messages) {
        batchSize = positive("batchSize", messages);
        return this;
    }

    /**
     * How long after this process's death the broker gives its messages to others; 30 s by default. Prolonged at a third
     * of it as long as the message is waiting or its handler may run. Servers refuse less than 10 s unless told otherwise.
     *
     * @throws IllegalArgumentException unless it is from 100 ms to 12 h
     */
    public SimpleConsumerLoopBuilder invisibleDuration(Duration time) {
        if (time.compareTo(SHORTEST) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException("invisibleDuration must be from 100 ms to 12 h, but is " + time);
        }
        invisibleDuration = time;
        return this;
    }

    /**
     * After how long a message that failed comes again, by its delivery attempt, which counts from 1. By default 10 s,
     * doubled with each attempt up to 10 min. How many attempts there are is the consumer group's setting on the server.
     */
    public SimpleConsumerLoopBuilder retryDelay(IntFunction<Duration> delay) {
        retryDelay = Objects.requireNonNull(delay, "retryDelay");
        return this;
    }

    /**
     * How long {@link SimpleConsumerLoop#close} waits for running handlers; 30 s by default.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public SimpleConsumerLoopBuilder shutdownTimeout(Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException("shutdownTimeout must not be negative, but is " + time);
        }
        shutdownTimeout = time;
        return this;
    }

    /**
     * Begins to receive.
     *
     * @throws IllegalStateException when another group reads one of the consumer's topics under the same consumer name
     */
    public SimpleConsumerLoop start() {
        return new SimpleConsumerLoop(starting.apply(
                new LoopSettings(concurrency, batchSize, invisibleDuration, retryDelay, shutdownTimeout)));
    }

    private static int positive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, but is " + value);
        }
        return value;
    }

    private static Duration defaultRetryDelay(int attempt) {
        int doublings = Math.min(Math.max(attempt - 1, 0), 6);
        Duration delay = Duration.ofSeconds(10L << doublings);
        return delay.compareTo(Duration.ofMinutes(10)) > 0 ? Duration.ofMinutes(10) : delay;
    }
}
