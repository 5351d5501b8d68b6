package io.dedup.kafka.internal.share;

import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import java.time.Duration;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.ShareAcknowledgment;

/**
 * Collects a handler's acknowledgment of its record during its transaction. It is passed to the broker after the commit
 * or the rollback. May be called from any thread until the handler returns.
 */
final class TransactionShareAcknowledgment implements ShareAcknowledgment {
    private final ShareAcknowledgment container;
    private @Nullable AcknowledgeType said;
    private boolean returned;

    TransactionShareAcknowledgment(ShareAcknowledgment container) {
        this.container = container;
    }

    @Override
    public void acknowledge() {
        say(AcknowledgeType.ACCEPT);
    }

    @Override
    public void release() {
        say(AcknowledgeType.RELEASE);
    }

    @Override
    public void reject() {
        say(AcknowledgeType.REJECT);
    }

    @Override
    public void renew() {
        container.renew();
    }

    private synchronized void say(AcknowledgeType type) {
        if (returned) {
            throw new IllegalStateException(type + " of " + container
                    + " was called after its handler has returned, when the transaction is over."
                    + " Acknowledge before returning, or use mode LEASED");
        }
        if (said != null) {
            throw new IllegalStateException(
                    type + " of " + container + ": it has already been acknowledged as " + said);
        }
        said = type;
    }

    /**
     * The handler has returned.
     *
     * @throws NotAcknowledgedException when its effect must not be committed
     */
    synchronized void handlerReturned() {
        returned = true;
        if (said != AcknowledgeType.ACCEPT) {
            throw new NotAcknowledgedException(0, said == null ? null : Duration.ZERO);
        }
    }

    /**
     * Its transaction has ended as the handler requested: passes the acknowledgment on. Returns false if there is none.
     */
    synchronized boolean pass() {
        if (said == AcknowledgeType.ACCEPT) {
            container.acknowledge();
        } else if (said == AcknowledgeType.RELEASE) {
            container.release();
        } else if (said == AcknowledgeType.REJECT) {
            container.reject();
        }
        return said != null;
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
