package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDelivery;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The acknowledgment ends a record, possibly after the return and from another thread: the manual ack modes.
 *
 * <ol>
 *   <li>add the records to those that the handler has; if that fails, release their claims
 *   <li>begin, handler, with an acknowledgment of ours; a stored reply holds it back until the return
 *   <li>acknowledgment: complete the record and those below it, then, whatever the store answers, request the container's
 *       acknowledgment, which is sent when everything below is finished
 *   <li>return: send the reply, then the acknowledgment that it held back; without a group, the return counts as the
 *       acknowledgment
 *   <li>the listener has returned and sought back: release what the handler has from there on; a deferral
 *   <li>failure after a seek back to records of earlier calls: the same
 *   <li>failure: complete what it proves handled, release what isn't acknowledged; a lost lease is a deferral
 * </ol>
 */
final class WhenAcknowledged extends SettlementKind {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    @Override
    public boolean run(ListenerCall call) {
        call.give(false);
        return call.runHandler();
    }

    @Override
    byte @Nullable [] handle(ListenerCall call) {
        call.invokeListener(call.acknowledgment());
        return null;
    }

    /** Of earlier calls, too: a handler may collect records, and seek back to the first of them when it can't handle them. */
    @Override
    void soughtBack(ListenerCall call) {
        if (!call.bound.acks().pending().givenSoughtBack().isEmpty()) {
            throw NotAcknowledgedException.soughtBack(Math.max(0, call.firstSoughtBack()));
        }
    }

    @Override
    boolean succeeded(ListenerCall call) {
        call.handlerReturned();
        call.deliverReply();
        if (!call.bound.commitsOffsets()) {
            call.acknowledge(); // the handler's return counts as its acknowledgment, except for nacked records
        }
        return false;
    }

    @Override
    RuntimeException failed(ListenerCall call, Throwable thrown) {
        try {
            ManualAcks acks = call.bound.acks();
            if (thrown instanceof NotAcknowledgedException) {
                return call.failure(thrown, acks.fail(acks.pending().givenSoughtBack(), thrown));
            }
            List<PendingDelivery> given = call.given();
            int proven = call.provenBy(thrown);
            Set<PendingDelivery> back = new LinkedHashSet<>(acks.pending().givenSoughtBack());
            if (!given.containsAll(back) && !(thrown instanceof Error)) {
                return earlierComeAgain(call, thrown, given, proven, back);
            }
            // Only these: the failure proves nothing about earlier polls, although an acknowledgment would cover them.
            acks.finish(given.subList(0, proven));
            return call.failure(thrown, acks.fail(given.subList(proven, given.size()), thrown));
        } finally {
            call.handlerReturned();
        }
    }

    /**
     * The call has failed and has sought back to records of earlier calls. The error handler would decide about its records
     * alone, and seek to them: past the earlier ones, which the next acknowledgment would complete.
     */
    private static RuntimeException earlierComeAgain(
            ListenerCall call, Throwable thrown, List<PendingDelivery> given, int proven, Set<PendingDelivery> back) {
        log.warn(
                "The listener has failed and has sought back to records that it was given earlier: all are redelivered,"
                        + " and no error handler is called",
                thrown);
        ManualAcks acks = call.bound.acks();
        acks.finish(given.subList(0, proven).stream()
                .filter(each -> !back.contains(each))
                .toList());
        back.addAll(given.subList(proven, given.size()));
        return call.failure(NotAcknowledgedException.soughtBack(0), acks.fail(List.copyOf(back), thrown));
    }

    @Override
    public boolean acksInOrder() {
        return true;
    }

    @Override
    public boolean endsWithAcknowledgment() {
        return true;
    }
}
