package io.dedup.rocketmq;

import io.dedup.rocketmq.internal.loop.ConsumerLoop;

/**
 * Receives from a simple consumer, claims what came in one batch, runs the listener for each new message, and acks it when
 * it is done. Messages of one message group are handled in the order of their receipt, one after the other; each is claimed
 * when it is the first of its group, and kept invisible until then.
 *
 * <p>A message that is in flight elsewhere is kept, invisible for others, and the store is asked again; this spends none of
 * its delivery attempts. While the store doesn't answer, nothing more is received. Invisible time and lease are prolonged
 * together until the topic's {@code maxProcessingTime}.
 *
 * <p>Thread-safe. Its threads are daemons.
 */
public final class SimpleConsumerLoop implements AutoCloseable {
    private final ConsumerLoop loop;

    SimpleConsumerLoop(ConsumerLoop loop) {
        this.loop = loop;
    }

    /** How many messages are between their receipt and the broker's last word about them. */
    public int openMessages() {
        return loop.openMessages();
    }

    /** How many requests to the broker have failed, after which it redelivers messages. */
    int failedRequests() {
        return loop.failedRequests();
    }

    /**
     * Receives no more, gives back what no handler has begun, and waits for running handlers as long as the shutdown
     * timeout tells, whose messages are then marked as done and acked. A handler that runs longer goes on; what it has done
     * is marked, if the deduplicator is still open, and the broker will have its message acked as a duplicate.
     */
    @Override
    public void close() {
        loop.close();
    }
}
