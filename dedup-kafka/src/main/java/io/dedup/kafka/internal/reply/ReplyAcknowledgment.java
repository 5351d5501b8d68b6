package io.dedup.kafka.internal.reply;

import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Holds a handler's acknowledgment back until the handler has returned, because its reply is stored with the message
 * and sent before the record is acknowledged. Thread-safe.
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
        synchronized (this) { // nothing is called under this lock
            if (holding) {
                held = true;
                return;
            }
        }
        tracked.acknowledge();
    }

    /**
     * The handler has returned: sends its reply, then acknowledges if the handler has. Later acknowledgments are passed
     * on at once.
     *
     * @param finish completes the message without acknowledging it, so that it isn't handled again if its reply cannot
     *     be sent
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
        tracked.acknowledge(index); // throws: not supported for records
    }

    @Override
    public void nack(int index, Duration sleep) {
        tracked.nack(index, sleep); // throws: not supported for records
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
