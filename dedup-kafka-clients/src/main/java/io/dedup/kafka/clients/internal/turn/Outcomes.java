package io.dedup.kafka.clients.internal.turn;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.HandlerRun;
import io.dedup.kafka.clients.internal.position.BackOffs;
import io.dedup.kafka.clients.internal.position.PartitionHolds;
import io.dedup.kafka.clients.internal.position.Positions;
import io.dedup.policy.OnStoreFailure;
import io.dedup.text.Printable;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What follows from the outcome of a record's turn: it counts as handled, or its partition is cut there and held. */
public final class Outcomes {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");
    private static final Duration FIRST_DEFERRAL = Duration.ofMillis(50);

    private final Positions positions;
    private final PartitionHolds holds;
    private final BackOffs deferrals;
    private final BackOffs failures;
    private final Retries retries;
    private boolean storeIsDown;

    public Outcomes(Positions positions, PartitionHolds holds, BackOffs deferrals, BackOffs failures, Retries retries) {
        this.positions = positions;
        this.holds = holds;
        this.deferrals = deferrals;
        this.failures = failures;
        this.retries = retries;
    }

    void newPoll() {
        storeIsDown = false;
    }

    /** Whether the store has failed in this poll, and this record must wait for it: asking again would take time. */
    boolean waitsForStore(Polled<?, ?> polled) {
        return storeIsDown && polled.delivery().topic().policy().onStoreFailure() != OnStoreFailure.PROCESS;
    }

    void handled(Polled<?, ?> polled) {
        positions.handled(polled.partition(), polled.record());
    }

    /** The handler has not run, or its transaction was rolled back for a reason outside of it. */
    void notRun(Polled<?, ?> polled, Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            deferred(polled, defer);
        } else if (admission instanceof Admission.Reject reject) {
            giveUp(polled, reject.cause());
        } else {
            handled(polled); // a duplicate, or a policy says to do without the effect
        }
    }

    private void deferred(Polled<?, ?> polled, Admission.Defer defer) {
        storeIsDown |= defer.reason() == DeferReason.STORE_UNAVAILABLE;
        int count = deferrals.count(polled.partition(), polled.record());
        hold(polled, BackOffs.delay(count, FIRST_DEFERRAL, defer.retryAfter()), defer.pause());
    }

    /** Whether the handler, which has returned, has sought to a record of these partitions or below it. */
    Predicate<Polled<?, ?>> soughtBack(Set<TopicPartition> partitions) {
        Map<TopicPartition, Long> next = positions.afterHandler(partitions);
        return each -> next.getOrDefault(each.partition(), Long.MAX_VALUE)
                <= each.record().offset();
    }

    /** The handler has returned, and wants the record again. */
    static final class SoughtBack extends Exception {
        private static final long serialVersionUID = 1L;

        SoughtBack() {
            super("The handler has sought back to the record", null, false, false);
        }
    }

    /** Nothing of this partition is handled before the next poll. */
    void again(Polled<?, ?> polled) {
        polled.in().cut();
    }

    /**
     * The handler failed, and its claim is released.
     *
     * @param leaseLost whether another consumer had taken over the claim before: that one decides about the message
     * @param thrown not an {@link Error}
     */
    void failed(Polled<?, ?> polled, boolean leaseLost, Throwable thrown) {
        if (thrown instanceof SoughtBack) {
            again(polled);
            return;
        }
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt(); // no failure of the message: it is delivered again
            again(polled);
            return;
        }
        if (HandlerRun.isDeferral(leaseLost, thrown)) {
            hold(polled, polled.delivery().topic().policy().maxDeferDelay(), false);
            return;
        }
        int count = failures.count(polled.partition(), polled.record());
        if (retries.giveUp() != null && count >= retries.attempts()) {
            giveUp(polled, thrown);
            return;
        }
        Duration delay = BackOffs.delay(count, retries.first(), retries.longest());
        log.warn(
                "Handler failed with the record in {} (attempt {}); trying again in {} ms. Its partition waits",
                polled.delivery().origin().get(),
                count,
                delay.toMillis(),
                thrown);
        hold(polled, delay, false);
    }

    private void giveUp(Polled<?, ?> polled, Throwable thrown) {
        Exception cause = thrown instanceof Exception exception ? exception : new IllegalStateException(thrown);
        Retries.Taker taker = retries.giveUp();
        if (taker == null) {
            log.error(
                    "Cannot handle the record in {}; its partition waits, and it is tried again in {} ms. To move such"
                            + " records to another place, set giveUpAfter of DedupPoll: {}",
                    polled.delivery().origin().get(),
                    retries.longest().toMillis(),
                    Printable.ofException(cause));
            hold(polled, retries.longest(), false);
            return;
        }
        try {
            taker.take(polled.record(), cause);
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            log.error(
                    "giveUp failed with the record in {}; its partition waits, and it is tried again in {} ms",
                    polled.delivery().origin().get(),
                    retries.longest().toMillis(),
                    e);
            hold(polled, retries.longest(), false);
            return;
        }
        handled(polled);
    }

    /** Its partition waits; the records from here on are fetched again. */
    void waitForStore(Polled<?, ?> polled) {
        hold(polled, polled.delivery().topic().policy().maxDeferDelay(), false);
    }

    private void hold(Polled<?, ?> polled, Duration time, boolean untilStoreAnswers) {
        again(polled); // first
        holds.hold(polled.partition(), time, untilStoreAnswers);
    }
}
