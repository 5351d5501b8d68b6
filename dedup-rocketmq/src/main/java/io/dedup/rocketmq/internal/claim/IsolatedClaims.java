package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims and runs the messages of a batch one by one, because one of them was running when a process died. Thus only
 * the message that crashes the process is charged for it.
 */
final class IsolatedClaims {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final DedupAdapter engine;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final ClaimableMessages claimable;
    private final AdmissionResponse response;
    private final LoopThreads threads;

    IsolatedClaims(
            DedupAdapter engine,
            OpenMessages open,
            Acknowledgments acknowledgments,
            ClaimableMessages claimable,
            AdmissionResponse response,
            LoopThreads threads) {
        this.engine = engine;
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.claimable = claimable;
        this.response = response;
        this.threads = threads;
    }

    /** Uses a thread of its own, because it waits for each message, and all handler threads may be waiting for it. */
    void start(List<OpenMessage> messages, List<OpenMessage> received) {
        threads.newThread(() -> isolate(messages, received)).start();
    }

    private void isolate(List<OpenMessage> messages, List<OpenMessage> received) {
        List<OpenMessage> apart;
        try {
            apart = open.setApart(messages, received);
        } catch (RuntimeException | Error e) { // otherwise they would stay invisible forever
            log.error("Cannot claim {} messages one by one; the broker redelivers them", messages.size(), e);
            messages.forEach(acknowledgments::retryLater);
            return;
        }
        apart.forEach(this::claim);
    }

    private void claim(OpenMessage message) {
        try {
            if (!open.awaitTurn(message) || !claimable.isClaimable(message)) {
                return;
            }
            Admission admission = engine.admit(message.delivery(), WaitBudget.none());
            response.toOne(message, admission);
            if (admission instanceof Admission.Run) {
                open.awaitClosed(message);
            }
        } catch (RuntimeException | Error e) {
            log.error("Cannot claim the message in {}; the broker redelivers it", message.origin(), e);
            acknowledgments.retryLater(message);
        }
    }
}
