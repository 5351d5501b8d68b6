package io.dedup.rocketmq.remoting.internal;

import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;

/**
 * Computes which messages of a batch are sent back, and with which delay: everything from the first failure on, with
 * the delay level of that failure. The batch goes to the dead-letter queue at once only if all of these messages belong
 * there. Not thread-safe.
 */
final class SendBack {
    /** One of the client's special delay levels. */
    static final int DEAD_LETTER = -1;

    static final int BY_BROKER = 0;

    private final int size;
    private int first;
    private int level;

    SendBack(int size) {
        this.size = size;
        this.first = size;
    }

    /** The next message is done. */
    void done() {
        mustNotBeDeadLettered();
    }

    /** The next message, at this index, isn't done. */
    void failed(int index, int delayLevel) {
        if (first == size) {
            first = index;
            level = delayLevel;
        } else if (delayLevel > DEAD_LETTER) {
            mustNotBeDeadLettered();
        }
    }

    /** Whether the next message is sent back, whether it is done or not. */
    boolean hasFailure() {
        return first < size;
    }

    private void mustNotBeDeadLettered() {
        level = Math.max(level, BY_BROKER);
    }

    ConsumeConcurrentlyStatus answer(ConsumeConcurrentlyContext context) {
        if (first == size) {
            return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
        }
        context.setDelayLevelWhenNextConsume(level);
        if (first == 0) {
            return ConsumeConcurrentlyStatus.RECONSUME_LATER;
        }
        context.setAckIndex(first - 1);
        return ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
    }
}
