package io.dedup.rocketmq;

import io.dedup.rocketmq.internal.loop.ConsumerLoop;
import io.dedup.rocketmq.internal.loop.LoopSettings;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Configures a {@link SimpleConsumerLoop}. Not thread-safe. */
public final class SimpleConsumerLoopBuilder {
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(12); // the broker's own limit

    private final Function<LoopSettings, ConsumerLoop> starting;
    private int concurrency = 20;
    private int batchSize = 32;
    private boolean completeTogether = true;
    private Duration invisibleDuration = Duration.ofSeconds(30);
    private Duration shutdownTimeout = Duration.ofSeconds(30);
    private IntFunction<Duration> retryDelay = SimpleConsumerLoopBuilder::defaultRetryDelay;

    SimpleConsumerLoopBuilder(Function<LoopSettings, ConsumerLoop> starting) {
        this.starting = starting;
    }

    /**
     * The maximum number of handlers that run at the same time; 20 by default. Messages of one message group are
     * handled one after the other.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public SimpleConsumerLoopBuilder concurrency(int handlers) {
        concurrency = positive("concurrency", handlers);
        return this;
    }

    /**
     * The maximum number of messages that are received, and claimed, at once; 32 by default. Of a message group only
     * the first message is claimed at that time, the others at their turns. On a FIFO topic, messages behind a failed
     * one are returned with it, which costs each of them a delivery attempt or two; 1 prevents that. Until the failed one is done,
     * messages are received one at a time.
     *
     * @throws IllegalArgumentException when it is less than 1
     */
    public SimpleConsumerLoopBuilder batchSize(int messages) {
        batchSize = positive("batchSize", messages);
        return this;
    }

    /**
     * Whether successes are recorded together, with one call to the store for those that have gathered while it answered the last
     * one; true by default. If false, the thread of each handler records its success before it takes the next message, which costs
     * one call each. In mode {@code LEASED}, a process that is killed leaves up to {@link #concurrency} plus {@link #batchSize}
     * messages whose handlers have had their effects and which are handled again; if false, at most {@code concurrency}. Their
     * attempts are above 1.
     */
    public SimpleConsumerLoopBuilder completeTogether(boolean together) {
        completeTogether = together;
        return this;
    }

    /**
     * How long the broker waits, after this process has died, before it delivers the process's messages to other
     * consumers; 30 s by default. It is renewed at a third of its length while a message waits or its handler may run.
     * By default, servers reject less than 10 s.
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
     * The delay before a failed message is redelivered, as a function of its delivery attempt, which counts from 1. By
     * default 10 s, doubled with each attempt up to 10 min. The maximum number of attempts is a setting of the consumer
     * group on the server.
     */
    public SimpleConsumerLoopBuilder retryDelay(IntFunction<Duration> delay) {
        retryDelay = Objects.requireNonNull(delay, "retryDelay");
        return this;
    }

    /**
     * How long {@link SimpleConsumerLoop#close} waits for running handlers, and, if it returns messages, for the receive that is
     * under way and would get them back; 30 s by default.
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
     * Starts the loop, which begins to receive.
     *
     * @throws IllegalStateException when another group reads one of the consumer's topics under the same consumer name
     */
    public SimpleConsumerLoop start() {
        return new SimpleConsumerLoop(starting.apply(new LoopSettings(
                concurrency, batchSize, completeTogether, invisibleDuration, retryDelay, shutdownTimeout)));
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
