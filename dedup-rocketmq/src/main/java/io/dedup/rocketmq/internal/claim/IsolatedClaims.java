package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims and runs the messages of a batch one by one, because one of them was claimed when a process died. Each is claimed by the
 * thread that runs it: a claim that waited for a thread would be charged if the process dies, although its run has not begun.
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

    /** Uses a thread of its own, because it waits for the end of each message. */
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
        for (Optional<OpenMessage> next = open.awaitTurn(apart); next.isPresent(); next = open.awaitTurn(apart)) {
            if (runs(next.get())) {
                open.awaitEnd(next.get());
            }
        }
    }

    /** Has a handler thread claim and run the message. Returns false if it is decided otherwise, or later. */
    private boolean runs(OpenMessage message) {
        CompletableFuture<Boolean> runs = new CompletableFuture<>();
        threads.handle(() -> {
            boolean unused = runs.complete(claim(message));
        });
        open.awaitDecided(message, runs::isDone);
        return runs.getNow(true); // not done: it runs, or was returned
    }

    private boolean claim(OpenMessage message) {
        try {
            if (!claimable.isClaimable(message)) {
                return false;
            }
            Admission admission = engine.admit(message.delivery(), WaitBudget.none());
            response.toOne(message, admission);
            return admission instanceof Admission.Run;
        } catch (RuntimeException | Error e) {
            log.error("Cannot claim the message in {}; the broker redelivers it", message.origin(), e);
            acknowledgments.retryLater(message);
            return false;
        }
    }
}
