package io.dedup.rocketmq;

import io.dedup.rocketmq.internal.loop.ConsumerLoop;

/**
 * Receives from a simple consumer, claims the received messages in one batch, runs the listener for each new message,
 * and acknowledges it when it is done. Messages of one message group are handled one after the other, in the order of
 * their receipt; each is claimed when it is the first of its group, and stays invisible until then.
 *
 * <p>A message that is in flight elsewhere stays invisible to other consumers, and is claimed again later; this uses up
 * no delivery attempt. While the store doesn't answer, the loop receives nothing more. Invisible time and lease are
 * renewed together, until the topic's {@code maxProcessingTime} is over.
 *
 * <p>Thread-safe. Its threads are daemons.
 */
public final class SimpleConsumerLoop implements AutoCloseable {
    private final ConsumerLoop loop;

    SimpleConsumerLoop(ConsumerLoop loop) {
        this.loop = loop;
    }

    /** Returns the number of messages that were received and that aren't acknowledged or returned to the broker yet. */
    public int openMessages() {
        return loop.openMessages();
    }

    /** Returns how many requests to the broker have failed; after each, the broker redelivers the message. */
    int failedRequests() {
        return loop.failedRequests();
    }

    /**
     * Stops receiving, returns messages whose handlers haven't started to the broker, and waits up to the shutdown
     * timeout for running handlers, whose messages are then completed and acknowledged. A handler that runs longer
     * continues. If the deduplicator is still open when it succeeds, its message is recorded as done, and acknowledged
     * as a duplicate when the broker redelivers it.
     */
    @Override
    public void close() {
        loop.close();
    }
}
