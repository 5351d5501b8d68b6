package io.dedup.kafka.internal.reply;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Holds a handler's acknowledgment back until it has returned: its reply is kept with the message, and sent before the record
 * is acked. Thread-safe.
 */
final class ReplyAcknowledgment implements Acknowledgment {
    private final Acknowledgment tracked;
    private boolean holding = true;
    private boolean held;

    ReplyAcknowledgment(Acknowledgment tracked) {
        this.tracked = tracked;
    }

    @Override
    public void acknowledge() {
        synchronized (this) { // nothing is called within
            if (holding) {
                held = true;
                return;
            }
        }
        tracked.acknowledge();
    }

    /**
     * The handler has returned: sends its reply, then acknowledges if it has. From now on it does so at once.
     *
     * @param finish marks the message as done, without an ack: it isn't to run again when its reply can't be sent
     */
    void deliver(ReplyExchange reply, ConsumerRecord<?, ?> record, Runnable finish) {
        boolean acknowledged;
        synchronized (this) {
            holding = false;
            acknowledged = held;
        }
        if (acknowledged) {
            finish.run();
        }
        reply.deliver(record);
        if (acknowledged) {
            tracked.acknowledge();
        }
    }

    @Override
    public void nack(Duration sleep) {
        tracked.nack(sleep);
    }

    @Override
    public void acknowledge(int index) {
        tracked.acknowledge(index); // not supported for records, and says so
    }

    @Override
    public void nack(int index, Duration sleep) {
        tracked.nack(index, sleep); // not supported for records, and says so
    }

    @Override
    public boolean isOutOfOrderCommit() {
        return tracked.isOutOfOrderCommit();
    }

    @Override
    public String toString() {
        return tracked.toString();
    }
}
