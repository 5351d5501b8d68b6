package io.dedup.spring.boot.internal.call;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls with one topic's messages. Thread-safe.
 *
 * @param <M> a message, such as the arguments of a method
 */
public final class DeduplicatedCalls<M> {
    private final String topic;
    private final DedupAdapter dedup;
    private final DeliveryFactory<M> deliveries;
    private final Supplier<String> origin;

    /** What runs. */
    @FunctionalInterface
    public interface Body {
        @Nullable
        Object run() throws Throwable;
    }

    /** @param origin names the topic and what is called, for messages */
    public DeduplicatedCalls(String topic, Deduplicator deduplicator, MessageIdExtractor<? super M> id, String origin) {
        this.topic = topic;
        this.dedup = DedupAdapter.of(deduplicator);
        this.deliveries = new DeliveryFactory<>(deduplicator::topic, id, Map.of());
        this.origin = () -> origin;
    }

    /**
     * Runs a call, if no earlier one with its ID has taken effect.
     *
     * @throws CallDeferredException if it isn't known whether it may run
     * @throws io.dedup.DedupException if it can't run, and another call wouldn't help: it has no ID, or its ID was refused
     * @throws Throwable what the body throws, after its claim was released
     */
    public CallResult run(M message, Body body) throws Throwable {
        Delivery delivery = deliveries.of(topic, message, origin, unused -> null);
        WaitBudget budget = WaitBudget.of(delivery.topic().policy().inFlightWait());
        Admission admission = dedup.admit(delivery, budget);
        if (!(admission instanceof Admission.Run run)) {
            return notRun(admission);
        }
        @Nullable Object[] returned = new Object[1];
        RunEnd end = dedup.run(
                run.execution(),
                execution -> {
                    returned[0] = body.run();
                    return null; // results aren't kept for duplicates
                },
                budget);
        if (end instanceof RunEnd.NotRun notRun) {
            return notRun(notRun.admission());
        }
        if (end instanceof RunEnd.Failed failed) {
            throw failed.cause();
        }
        return new CallResult.Returned(returned[0]);
    }

    private CallResult notRun(Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            throw new CallDeferredException(origin.get(), defer.reason(), defer.retryAfter(), defer.cause());
        }
        if (admission instanceof Admission.Reject reject) {
            throw reject.cause();
        }
        return new CallResult.NotRun();
    }
}
