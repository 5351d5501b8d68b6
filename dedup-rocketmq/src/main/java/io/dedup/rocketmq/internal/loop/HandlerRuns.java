package io.dedup.rocketmq.internal.loop;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.Work;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.claim.MessageClaims;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the listener with claimed messages, and settles the runs. Thread-safe. */
final class HandlerRuns {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final DedupAdapter engine;
    private final ListenerInvoker listener;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final MessageClaims claims;
    private final Consumer<OpenMessage> complete;

    /** @param complete called with each message whose handler has succeeded and whose claim must be completed; now or later */
    HandlerRuns(
            DedupAdapter engine,
            ListenerInvoker listener,
            OpenMessages open,
            Acknowledgments acknowledgments,
            MessageClaims claims,
            Consumer<OpenMessage> complete) {
        this.engine = engine;
        this.listener = listener;
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.claims = claims;
        this.complete = complete;
    }

    /** Runs the listener with a claimed message, unless the message was returned meanwhile. */
    void run(OpenMessage message) {
        if (!open.start(message)) {
            return;
        }
        Execution execution = message.execution();
        try {
            if (execution.leaseLost()) { // while it waited for a thread
                execution.giveBack();
                claims.lostBeforeStart(message);
            } else if (execution.isTransactional()) {
                runInTransaction(message, execution);
            } else {
                runClaimed(message, execution);
            }
        } catch (RuntimeException | Error e) { // otherwise it would stay invisible until it is overdue
            log.error("Cannot settle the message in {}; the broker redelivers it", message.origin(), e);
            execution.fail(e);
            acknowledgments.retryLater(message);
        }
    }

    private void runClaimed(OpenMessage message, Execution execution) {
        Work work = listener.work(message.view());
        OpenMessage unused =
                HandlerRun.run(execution, () -> work.run(execution), new BatchedCompletion(message, execution));
    }

    /** The claim is completed, usually together with others, or released after a failure. */
    private final class BatchedCompletion implements Settlement<byte @Nullable [], OpenMessage> {
        private final OpenMessage message;
        private final Execution execution;

        private BatchedCompletion(OpenMessage message, Execution execution) {
            this.message = message;
            this.execution = execution;
        }

        @Override
        public OpenMessage succeeded(byte @Nullable [] result) {
            execution.returned(); // the queue may wait for longer than the lease, and a copy must not run
            try {
                complete.accept(message);
            } catch (RuntimeException | Error e) { // for example no memory for the queue
                execution.succeed(null, WaitBudget.none());
                log.error("Cannot queue the completion of the message in {}; completed it alone", message.origin(), e);
                acknowledgments.acknowledge(message);
            }
            return message;
        }

        @Override
        public OpenMessage failed(Throwable thrown) {
            boolean claimWasLost = execution.fail(thrown); // before anything else can fail
            if (thrown instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            if (claimWasLost) { // after an Error too: the store knows whether another consumer has succeeded
                claims.failedWithoutClaim(message);
            } else {
                acknowledgments.retryLater(message);
            }
            return message;
        }
    }

    /**
     * The commit records the message as done. This doesn't wait for another transaction; the message is claimed again
     * instead.
     */
    private void runInTransaction(OpenMessage message, Execution execution) {
        Work work = listener.work(message.view());
        RunEnd end = engine.run(
                execution,
                begun -> {
                    open.begunInTransaction(message);
                    return work.run(begun);
                },
                WaitBudget.none());
        if (end instanceof RunEnd.NotHandled notHandled) {
            claims.notRun(message, notHandled);
        } else if (end instanceof RunEnd.Handled) {
            acknowledgments.acknowledge(message);
        } else {
            acknowledgments.retryLater(message);
        }
    }
}
