package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims a loop's messages, a batch with each call to the store. Thread-safe. */
public final class MessageClaims {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final DedupAdapter engine;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final ClaimableMessages claimable;
    private final AdmissionResponse response;
    private final IsolatedClaims isolated;

    /**
     * Creates the one of a loop.
     *
     * @param run called with each claimed message; see {@link OpenMessages#start}
     * @param runHere the same on the current thread
     */
    public MessageClaims(
            DedupAdapter engine,
            ConsumerGroup group,
            InPlaceRunner waits,
            OpenMessages open,
            Acknowledgments acknowledgments,
            LoopThreads threads,
            Consumer<OpenMessage> run,
            Consumer<OpenMessage> runHere) {
        this.engine = engine;
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.claimable = new ClaimableMessages(group, open, acknowledgments);
        Deferrals deferrals = new Deferrals(waits, open, acknowledgments, threads, this::claim);
        this.response = new AdmissionResponse(open, acknowledgments, deferrals, run);
        this.isolated = new IsolatedClaims(
                engine,
                open,
                acknowledgments,
                claimable,
                new AdmissionResponse(open, acknowledgments, deferrals, runHere),
                threads);
    }

    /** Claims those messages whose turn has come and that aren't decided yet. */
    public void claim(List<OpenMessage> messages) {
        claim(messages, messages);
    }

    /**
     * Claims messages that were received.
     *
     * @param messages those whose turn has come
     * @param received these and those behind them in their message groups: after a crash all are handled one by one
     */
    public void claim(List<OpenMessage> messages, List<OpenMessage> received) {
        try {
            List<OpenMessage> these =
                    messages.stream().filter(claimable::isClaimable).toList();
            if (!these.isEmpty()) {
                admit(these, received);
            }
        } catch (RuntimeException | Error e) { // otherwise they would stay invisible forever
            log.error("Cannot claim {} messages; the broker redelivers them", messages.size(), e);
            messages.stream().filter(open::isUndecided).forEach(acknowledgments::retryLater);
        }
    }

    private void admit(List<OpenMessage> messages, List<OpenMessage> received) {
        BatchAdmission batch =
                engine.admitAll(messages.stream().map(OpenMessage::delivery).toList(), WaitBudget.none());
        if (batch.isolate()) {
            isolated.start(messages, received);
        } else {
            response.toBatch(messages, batch.admissions());
        }
    }

    /** The message was admitted, but its transaction didn't run it: its record or the store decides again. */
    public void notRun(OpenMessage message, RunEnd.NotHandled end) {
        response.toNotRun(message, end);
    }

    /** The message's claim was lost before its handler failed: the consumer that has the message now decides. */
    public void failedWithoutClaim(OpenMessage message) {
        open.claimLost(message, true);
        claim(List.of(message));
    }

    /** The message's claim was lost before its handler started: another consumer may have run it. */
    public void lostBeforeStart(OpenMessage message) {
        if (open.claimLost(message, false)) {
            claim(List.of(message));
        } else {
            acknowledgments.giveBackAtOnce(message);
        }
    }
}
