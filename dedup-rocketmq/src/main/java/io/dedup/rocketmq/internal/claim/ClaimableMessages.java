package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.ConsumerGroup;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Filters out messages that must not be claimed: those that were returned meanwhile, and those that fail in any case.
 */
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

    /** Whether the message must be claimed. A message that fails in any case is returned to the broker. */
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
                    "The message in {} is corrupted: its body doesn't match its checksum. Rejected; the broker"
                            + " redelivers it or moves it to the dead-letter queue",
                    message.origin());
            acknowledgments.retryLater(message);
            return false;
        }
        return true;
    }
}
