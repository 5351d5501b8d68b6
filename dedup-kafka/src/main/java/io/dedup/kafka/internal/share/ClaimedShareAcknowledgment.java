package io.dedup.kafka.internal.share;

import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.kafka.internal.ack.NackedException;
import io.dedup.step.LeaseLostException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.kafka.support.ShareAcknowledgment;

/**
 * A handler's acknowledgment of its record in mode LEASED, from any thread: it is recorded in the store before the
 * broker gets it.
 */
final class ClaimedShareAcknowledgment implements ShareAcknowledgment {
    private final ShareAcknowledgment container;
    private final Execution execution;
    private final HoldingShareConsumer<?, ?> consumer;
    private final Runnable deferral;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile boolean returned;

    /** @param deferral turns the record's next release into a deferral */
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
        LeaseLostException stopped = HandlerRun.stopped(execution);
        if (stopped != null) { // accepted, the step that was left out could be lost
            if (returned) { // otherwise the end of the call has it delivered again
                settle("acknowledge()");
                boolean unused = execution.fail(stopped);
                letRedeliver();
            }
            throw stopped;
        }
        settle("acknowledge()");
        try {
            execution.succeed(null, consumer.freshBudget());
        } finally { // whatever the answer, the effect has happened
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
            letRedeliver();
        } else {
            container.reject();
        }
    }

    /** Another consumer has the message and decides about it. */
    private void letRedeliver() {
        deferral.run();
        container.release();
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

    /** What the handler does from now on, it does on other threads. */
    void handlerReturned() {
        returned = true;
    }

    /** Returns true if the handler failed before it acknowledged; later acknowledgments are refused. */
    boolean failedUnsettled() {
        return settled.compareAndSet(false, true);
    }

    @Override
    public String toString() {
        return container.toString();
    }
}
