package io.dedup.rocketmq.remoting.internal;

import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;

/**
 * What of a batch is sent back, and with which delay: everything from the first failure on, with the delay level of that
 * failure. Only if all of it is to go there does it go to the dead-letter queue at once. Not thread-safe.
 */
final class SendBack {
    /** The client's delay levels that aren't a delay. */
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

    /** The next message, the one at this index, isn't. */
    void failed(int index, int delayLevel) {
        if (first == size) {
            first = index;
            level = delayLevel;
        } else if (delayLevel > DEAD_LETTER) {
            mustNotBeDeadLettered();
        }
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
