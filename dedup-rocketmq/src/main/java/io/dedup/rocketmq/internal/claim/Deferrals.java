package io.dedup.rocketmq.internal.claim;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.internal.ack.Acknowledgments;
import io.dedup.rocketmq.internal.open.OpenMessage;
import io.dedup.rocketmq.internal.open.OpenMessages;
import io.dedup.rocketmq.internal.thread.LoopThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps messages that the store cannot decide about yet, and claims them again later; returns those that have waited too
 * long, and those without an ID that wait for their topic's first one.
 */
final class Deferrals {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final Duration SOON = Duration.ofMillis(10);
    private static final Duration LONGEST = Duration.ofHours(12); // the broker's own limit

    private final InPlaceRunner waits;
    private final OpenMessages open;
    private final Acknowledgments acknowledgments;
    private final LoopThreads threads;
    private final Consumer<List<OpenMessage>> claimAgain;

    Deferrals(
            InPlaceRunner waits,
            OpenMessages open,
            Acknowledgments acknowledgments,
            LoopThreads threads,
            Consumer<List<OpenMessage>> claimAgain) {
        this.waits = waits;
        this.open = open;
        this.acknowledgments = acknowledgments;
        this.threads = threads;
        this.claimAgain = claimAgain;
    }

    Retry newRetry() {
        return new Retry();
    }

    void defer(OpenMessage message, Admission.Defer defer, Retry retry) {
        Duration longest = waits.longest(message.delivery());
        Duration lease = message.delivery().topic().policy().lease();
        if (defer.reason() == DeferReason.CLOSED) {
            log.error("The Deduplicator is closed, so this SimpleConsumerLoop stops. Close the loop before the"
                    + " Deduplicator");
            acknowledgments.stop(); // otherwise messages would be redelivered until they have used up their attempts
        } else if (defer.reason() == DeferReason.STORE_UNAVAILABLE) {
            open.storeFailed(message);
            retry.add(message, defer.retryAfter()); // however long: the broker can only wait too, and counts attempts
        } else if (defer.reason() == DeferReason.MISSING_ID) {
            // Kept here, a backlog would leave no room for the message that ends its wait, nor for other topics.
            acknowledgments.giveBack(message, shorter(longest.plus(lease), LONGEST)); // as often as what waits here
        } else if (!open.hold(message, longest)) {
            log.warn(
                    "The message in {} could not be handled within {} ms ({}). Returned to the broker, which counts a"
                            + " delivery attempt",
                    message.origin(),
                    message.waited().toMillis(),
                    defer.reason());
            acknowledgments.giveBack(message, lease); // at most one attempt per lease
        } else {
            retry.add(message, defer.retryAfter());
        }
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    /** Messages to claim again together, as soon as the first of them may be decided. Not thread-safe. */
    final class Retry {
        private final List<OpenMessage> messages = new ArrayList<>();
        private Duration delay = Duration.ofDays(1);

        private Retry() {}

        void soon(OpenMessage message) {
            add(message, SOON);
        }

        private void add(OpenMessage message, Duration after) {
            messages.add(message);
            delay = shorter(delay, after);
        }

        void schedule() {
            if (!messages.isEmpty()) {
                threads.later(() -> claimAgain.accept(messages), delay);
            }
        }
    }
}
