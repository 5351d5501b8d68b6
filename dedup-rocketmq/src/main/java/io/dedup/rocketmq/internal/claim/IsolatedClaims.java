package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
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

    private static final Duration PAUSE = Duration.ofMillis(100);

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
        List<OpenMessage> apart = null;
        while (apart == null || !apart.isEmpty()) {
            try {
                if (apart == null) {
                    apart = open.setApart(messages, received);
                } else {
                    next(apart);
                }
            } catch (RuntimeException | Error e) { // what is left would stay invisible forever without this thread
                open.awaitStop(PAUSE);
                log.error("Cannot claim messages one by one; trying again", e);
            }
        }
    }

    /** Decides about the next of these messages, and removes it; or those that were returned meanwhile. */
    private void next(List<OpenMessage> apart) {
        Optional<OpenMessage> next = open.awaitTurn(apart);
        if (next.isPresent()) {
            OpenMessage message = next.get();
            if (runs(message)) {
                open.awaitEnd(message);
            }
            apart.remove(message);
        }
    }

    /** Has a handler thread claim and run the message. Returns false if it is decided otherwise, or later. */
    private boolean runs(OpenMessage message) {
        CompletableFuture<Boolean> runs = new CompletableFuture<>();
        threads.handle(() -> {
            try {
                runs.complete(claim(message));
            } catch (Throwable e) { // otherwise the other thread would wait forever
                runs.completeExceptionally(e);
            }
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
            acknowledgments.retryLater(message); // before anything else can fail
            log.error("Cannot claim the message in {}; the broker redelivers it", message.origin(), e);
            return false;
        }
    }
}
