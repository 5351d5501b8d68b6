package io.dedup.kafka.internal.ack;

import java.time.Duration;
import java.util.function.Consumer;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Delegates to the container's acknowledgment and remembers whether {@code nack} was called. Thread-safe as far as the
 * container's is.
 */
public final class NackWatch implements Acknowledgment {
    private final Acknowledgment container;
    private final Consumer<Runnable> committing;
    private volatile boolean nacked;
    private Duration sleep = Duration.ZERO;

    /** @param committing runs each call of the container's acknowledgment, in which the container may commit */
    public NackWatch(Acknowledgment container, Consumer<Runnable> committing) {
        this.container = container;
        this.committing = committing;
    }

    public boolean isNacked() {
        return nacked;
    }

    /** How long the container sleeps before it fetches the nacked record again. */
    public Duration sleep() {
        return sleep;
    }

    @Override
    public void acknowledge() {
        committing.accept(container::acknowledge);
    }

    @Override
    public void acknowledge(int index) {
        committing.accept(() -> container.acknowledge(index));
    }

    @Override
    public void nack(Duration sleep) {
        committing.accept(() -> container.nack(sleep));
        nacked = true;
        this.sleep = sleep;
    }

    @Override
    public void nack(int index, Duration sleep) {
        committing.accept(() -> container.nack(index, sleep));
        nacked = true;
        this.sleep = sleep;
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return container.isOutOfOrderCommit();
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
