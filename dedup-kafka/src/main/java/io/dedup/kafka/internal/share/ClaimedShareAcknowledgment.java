package io.dedup.kafka.internal.share;

import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.ack.NackedException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.kafka.support.ShareAcknowledgment;

/** What a handler in mode LEASED says about its record, from any thread: the store hears of it before the broker. */
final class ClaimedShareAcknowledgment implements ShareAcknowledgment {
    private final ShareAcknowledgment container;
    private final Execution execution;
    private final HoldingShareConsumer<?, ?> consumer;
    private final Runnable deferral;
    private final AtomicBoolean settled = new AtomicBoolean();

    /** @param deferral makes the record's next release a deferral */
    ClaimedShareAcknowledgment(
            ShareAcknowledgment container,
            Execution execution,
            HoldingShareConsumer<?, ?> consumer,
            Runnable deferral) {
        this.container = container;
        this.execution = execution;
        this.consumer = consumer;
        this.deferral = deferral;
    }

    @Override
    public void acknowledge() {
        settle("acknowledge()");
        try {
            execution.succeed(null, consumer.freshBudget());
        } finally { // whatever it says or throws: the effect has happened
            container.acknowledge();
        }
    }

    @Override
    public void release() {
        settle("release()");
        try {
            execution.fail(new NackedException("release()"));
        } finally {
            container.release();
        }
    }

    @Override
    public void reject() {
        settle("reject()");
        if (execution.fail(new NackedException("reject()"))) {
            deferral.run(); // somebody else has the message, and decides about it
            container.release();
        } else {
            container.reject();
        }
    }

    @Override
    public void renew() {
        container.renew();
    }

    private void settle(String call) {
        if (!settled.compareAndSet(false, true)) {
            throw new IllegalStateException(call + " of " + container + ": it has already been acknowledged");
        }
    }

    /** Whether the handler has failed before it said anything; whatever it says from now on is refused. */
    boolean failedUnsettled() {
        return settled.compareAndSet(false, true);
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
