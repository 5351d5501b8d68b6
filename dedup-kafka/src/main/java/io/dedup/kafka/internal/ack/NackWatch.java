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

    public NackWatch(Acknowledgment container) {
        this.container = container;
    }

    public boolean isNacked() {
        return nacked;
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
    }

    @Override
    public void nack(int index, Duration sleep) {
        container.nack(index, sleep);
        nacked = true;
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
