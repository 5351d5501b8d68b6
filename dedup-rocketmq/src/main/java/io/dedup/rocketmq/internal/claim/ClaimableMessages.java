package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sorts out messages that mustn't be claimed: those that were given back meanwhile, and those that fail in any case. */
final class ClaimableMessages {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final ConsumerGroup group;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;

    ClaimableMessages(ConsumerGroup group, OpenMessages open, Acknowledgments acknowledgments) {
        this.group = group;
        this.open = open;
        this.acknowledgments = acknowledgments;
    }

    /** Whether the store is to be asked about the message. A message that fails in any case is redelivered. */
    boolean isClaimable(OpenMessage message) {
        if (!open.isUndecided(message)) {
            return false;
        }
        if (!group.mayRead(message.view().getTopic())) {
            acknowledgments.retryLater(message);
            return false;
        }
        if (message.received().isCorrupted()) {
            log.warn(
                    "Failing {}: its body doesn't match its checksum. It is redelivered, or goes to the dead-letter queue",
                    message.origin());
            acknowledgments.retryLater(message);
            return false;
        }
        return true;
    }
}
