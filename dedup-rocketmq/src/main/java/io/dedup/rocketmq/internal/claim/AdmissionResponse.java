package io.dedup.rocketmq.internal.claim;

import io.dedup.adapter.Admission;
import io.dedup.adapter.RunEnd;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Acts on the store's answer about a message: runs, acknowledges or fails it, or claims it again later. */
final class AdmissionResponse {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");

    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final Deferrals deferrals;
    private final Consumer<OpenMessage> run;

    AdmissionResponse(
            OpenMessages open, Acknowledgments acknowledgments, Deferrals deferrals, Consumer<OpenMessage> run) {
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.deferrals = deferrals;
        this.run = run;
    }

    void toBatch(List<OpenMessage> messages, List<Admission> admissions) {
        Deferrals.Retry retry = deferrals.newRetry();
        for (int i = 0; i < messages.size(); i++) {
            OpenMessage message = messages.get(i);
            Admission admission = admissions.get(i);
            try {
                if (!(admission instanceof Admission.Follow follow)) {
                    respond(message, admission, retry);
                } else if (!open.follow(message, messages.get(follow.leader()))) {
                    retry.soon(message);
                }
            } catch (RuntimeException | Error e) {
                log.error(
                        "Cannot process the store's answer about the message in {}; the broker redelivers it",
                        message.origin(),
                        e);
                if (admission instanceof Admission.Run claimed) {
                    claimed.execution().giveBack(); // otherwise the claim would be renewed for maxProcessingTime
                }
                acknowledgments.retryLater(message);
            }
        }
        retry.schedule();
    }

    void toOne(OpenMessage message, Admission admission) {
        Deferrals.Retry retry = deferrals.newRetry();
        respond(message, admission, retry);
        retry.schedule();
    }

    void toNotRun(OpenMessage message, RunEnd.NotHandled end) {
        boolean mayRunAgain = end.failedWithoutClaim() ? open.claimLost(message, true) : open.undecidedAgain(message);
        if (end.admission() instanceof Admission.Defer && (!mayRunAgain || open.isStopping())) {
            acknowledgments.giveBackAtOnce(message); // it wasn't returned with the others
        } else {
            toOne(message, end.admission());
        }
    }

    private void respond(OpenMessage message, Admission admission, Deferrals.Retry retry) {
        if (admission instanceof Admission.Run claimed) {
            if (message.hasFailedWithoutClaim()) { // another consumer has run it and failed too
                claimed.execution().giveBack();
                acknowledgments.retryLater(message);
            } else if (open.claimed(message, claimed.execution())) {
                run.accept(message);
            } else {
                claimed.execution().giveBack();
            }
        } else if (admission instanceof Admission.Reject reject) {
            log.warn("{}", reject.cause().getMessage());
            acknowledgments.retryLater(message);
        } else if (admission instanceof Admission.Defer defer) {
            deferrals.defer(message, defer, retry);
        } else {
            acknowledgments.acknowledge(message);
        }
    }
}
