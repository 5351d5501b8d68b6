package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
final class WhenAcknowledged implements SettlementKind<ListenerCall> {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    @Override
    public Transaction transaction() {
        return Transaction.NONE;
    }

    /** What was sought back to after its call runs again: the handler may have forgotten it. */
    @Override
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {
        bound.soughtBack().acknowledgedLater();
        List<PendingDelivery> before = bound.acks().pending().givenBefore(records);
        if (!before.isEmpty()) {
            boolean unused = bound.acks().sendBack(before, NotAcknowledgedException.soughtBack(0));
        }
    }

    @Override
    public ListenerRun of(ListenerCall call) {
        return new Run(call);
    }

    private static final class Run extends ClaimedRun {
        private @Nullable GivenRecords given;

        Run(ListenerCall call) {
            super(call);
        }

        @Override
        public boolean run() {
            given = call.give();
            return super.run();
        }

        @Override
        public byte @Nullable [] call() {
            call.invoke(given(), false);
            // Of earlier calls, too: a handler may collect records, and seek back to the first when it cannot handle
            // them.
            if (!call.bound.soughtBack().isEmpty()
                    && !pending().givenSoughtBack().isEmpty()) {
                throw NotAcknowledgedException.soughtBack(Math.max(0, firstSoughtBack()));
            }
            return null;
        }

        @Override
        public Boolean succeeded(byte @Nullable [] result) {
            given().handlerReturned();
            call.deliverReply();
            if (!call.bound.commitsOffsets()) {
                given().acknowledgeAll();
            }
            return false;
        }

        @Override
        public Boolean failed(Throwable thrown) {
            try {
                throw failure(thrown);
            } finally {
                given().handlerReturned();
            }
        }

        private RuntimeException failure(Throwable thrown) {
            ManualAcks acks = call.bound.acks();
            if (thrown instanceof NotAcknowledgedException) {
                return call.failure(thrown, acks.sendBack(pending().givenSoughtBack(), thrown));
            }
            List<PendingDelivery> all = given().deliveries();
            int proven = call.provenBy(thrown);
            List<PendingDelivery> done = all.subList(0, proven);
            List<PendingDelivery> undone = all.subList(proven, all.size());
            Set<PendingDelivery> back = new LinkedHashSet<>(pending().givenSoughtBack());
            if (!all.containsAll(back) && !(thrown instanceof Error)) {
                return redeliverEarlier(thrown, done, undone, back);
            }
            // Only these: the failure proves nothing about earlier polls, although an acknowledgment would cover them.
            acks.finish(done);
            return call.failure(thrown, acks.fail(undone, thrown));
        }

        /**
         * The call has failed and has sought back to records of earlier calls. The error handler would decide about its
         * records alone, and seek to them: past the earlier ones, which the next acknowledgment would complete.
         */
        private RuntimeException redeliverEarlier(
                Throwable thrown, List<PendingDelivery> done, List<PendingDelivery> undone, Set<PendingDelivery> back) {
            log.warn(
                    "The listener has failed and has sought back to records that it was given earlier: all are"
                            + " redelivered, and no error handler is called",
                    thrown);
            ManualAcks acks = call.bound.acks();
            acks.finish(done.stream().filter(each -> !back.contains(each)).toList());
            back.addAll(undone);
            return call.failure(NotAcknowledgedException.soughtBack(0), acks.sendBack(back, thrown));
        }

        private GivenRecords given() {
            return requireNonNull(given);
        }

        private PendingDeliveries pending() {
            return call.bound.acks().pending();
        }
    }
}
