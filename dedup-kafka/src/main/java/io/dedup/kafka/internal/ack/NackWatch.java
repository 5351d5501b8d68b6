package io.dedup.kafka.internal.ack;

import java.time.Duration;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Delegates to the container's acknowledgment and remembers whether {@code nack} was called. Thread-safe as far as the
 * container's is.
 */
public final class NackWatch implements Acknowledgment {
    private final Acknowledgment container;
    private volatile boolean nacked;
    private Duration sleep = Duration.ZERO;

    public NackWatch(Acknowledgment container) {
        this.container = container;
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
        container.acknowledge();
    }

    @Override
    public void acknowledge(int index) {
        container.acknowledge(index);
    }

    @Override
    public void nack(Duration sleep) {
        container.nack(sleep);
        nacked = true;
        this.sleep = sleep;
    }

    @Override
    public void nack(int index, Duration sleep) {
        container.nack(index, sleep);
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
