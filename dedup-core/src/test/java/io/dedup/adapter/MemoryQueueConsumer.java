package io.dedup.adapter;

import io.dedup.DedupContext;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.id.MessageIdExtractor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

// docs:begin
/**
 * A complete adapter for a broker, the {@link MemoryQueue}. Start from it when you write one for another broker: it uses
 * {@code io.dedup.adapter} and the public API, and nothing else.
 *
 * <p>An adapter keeps one promise: it acknowledges a message only after its effect, or because a policy says to do without the
 * effect. So each path through {@link #consumeOne} ends with exactly one of acknowledge, deliver again and dead-letter, and the
 * acknowledgment always comes last.
 */
final class MemoryQueueConsumer {
    /** What the application does with a message. */
    @FunctionalInterface
    interface Handler {
        void handle(MemoryQueue.Message message, DedupContext context) throws Exception;
    }

    private static final Duration RETRY_DELAY = Duration.ofMillis(100);
    private static final int MAX_DELIVERIES = 5;

    private final MemoryQueue queue;
    private final String topic;
    private final Handler handler;
    private final DedupAdapter dedup;
    private final DeliveryFactory<MemoryQueue.Message> deliveries;

    /**
     * A consumer of a queue.
     *
     * @param topic the queue's name: IDs are unique within it, and the deduplicator may have a policy for it
     */
    MemoryQueueConsumer(MemoryQueue queue, String topic, Deduplicator deduplicator, Handler handler) {
        this.queue = queue;
        this.topic = topic;
        this.handler = handler;
        // The adapter's side of the deduplicator that the application has built. The application closes it, after its
        // consumers.
        this.dedup = DedupAdapter.of(deduplicator);
        // Finds the business ID. If the extractor fails, the message counts as one without an ID, and the policy
        // decides.
        this.deliveries = new DeliveryFactory<>(
                deduplicator::topic,
                MessageIdExtractor.named("ID that its producer has set", MemoryQueue.Message::id),
                Map.of());
    }

    /** Consumes one message; false when there is none. */
    boolean consumeOne() {
        // 1. Receive. The broker delivers the message again unless we acknowledge it, also when this process dies.
        MemoryQueue.Message message = queue.lease();
        if (message == null) {
            return false;
        }
        // 2. Describe the delivery: topic, ID, fingerprint of the payload, and how errors name the message.
        Delivery delivery = deliveries.of(
                topic,
                message,
                () -> topic + "#" + message.number(),
                it -> Fingerprint.ofPayload(it.body().getBytes(StandardCharsets.UTF_8)));
        // 3. Claim. The budget bounds how long this thread waits in place: for a copy that another consumer handles,
        // and for repeating a completion. Keep it well below what the broker allows between two receives.
        WaitBudget budget = WaitBudget.of(delivery.topic().policy().inFlightWait());
        Admission admission = dedup.admit(delivery, budget);
        if (!(admission instanceof Admission.Run run)) {
            return notRun(message, admission);
        }
        // 4. Run and settle. HandlerRun is inside: it begins the execution, calls the handler, and completes the claim
        // or releases it, in a transaction where the topic's mode asks for one.
        RunEnd end = dedup.run(
                run.execution(),
                execution -> {
                    handler.handle(message, execution);
                    return null; // no result is kept for duplicates
                },
                budget);
        // 5. Answer the broker, last.
        if (end instanceof RunEnd.Handled) {
            queue.ack(message); // whatever its completion: the effect has happened
        } else if (end instanceof RunEnd.NotHandled notHandled) {
            return notRun(message, notHandled.admission());
        } else {
            failed(message, ((RunEnd.Failed) end).cause());
        }
        return true;
    }

    /** The handler didn't run, or its transaction was rolled back for a reason outside the handler. */
    private boolean notRun(MemoryQueue.Message message, Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            // Not decided yet: deliver again, never acknowledge. It isn't a failure, and spends none of the message's
            // attempts.
            queue.nack(message, defer.retryAfter());
        } else if (admission instanceof Admission.Reject) {
            queue.deadLetter(message); // retrying cannot help: no ID, another payload under the same ID, or poison
        } else {
            queue.ack(message); // a duplicate, or acknowledged without an effect because the policy says so
        }
        return true;
    }

    /** The handler failed, and its claim is released: the broker's own rules for failures apply. */
    private void failed(MemoryQueue.Message message, Throwable cause) {
        if (cause instanceof Error error) {
            queue.nack(message, RETRY_DELAY);
            throw error; // concerns this process rather than the message
        }
        if (message.deliveries() < MAX_DELIVERIES) {
            queue.nack(message, RETRY_DELAY);
        } else {
            queue.deadLetter(message);
        }
    }
}
// docs:end
