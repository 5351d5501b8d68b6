package io.dedup.spring.boot.internal.call;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Calls with one topic's messages. Thread-safe.
 *
 * @param <M> a message, such as the arguments of a method
 */
public final class DeduplicatedCalls<M> {
    private final String topic;
    private final DeliveryFactory<M> deliveries;
    private final CallWaits waits;
    private final InPlaceRunner runner;
    private final Supplier<String> origin;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    /** A call whose body runs. */
    private record Running(Thread thread, DedupKey id) {}

    /** What runs; again, if the transaction of its first run was rolled back for a reason outside of it. */
    @FunctionalInterface
    public interface Body {
        @Nullable
        Object run() throws Throwable;

        /** An intercepted call, which may be continued more than once. */
        static Body of(MethodInvocation invocation) {
            return invocation instanceof ProxyMethodInvocation repeatable
                    ? () -> repeatable.invocableClone().proceed()
                    : invocation::proceed;
        }
    }

    /**
     * For calls of one kind.
     *
     * @param origin names the topic and what is called, for messages
     * @param maxWait how long a call waits that cannot be decided yet; see {@link CallWaits#runner}
     */
    public DeduplicatedCalls(
            String topic,
            Deduplicator deduplicator,
            MessageIdExtractor<? super M> id,
            String origin,
            CallWaits waits,
            @Nullable Duration maxWait) {
        this.topic = topic;
        this.deliveries = new DeliveryFactory<>(deduplicator::topic, id, Map.of());
        this.waits = waits;
        this.runner = waits.runner(deduplicator, maxWait);
        this.origin = () -> origin;
    }

    /** How long a call waits that cannot be decided yet. */
    public enum Patience {
        /** For {@code in-flight-wait}: its caller gets the exception and can call again, as the client of a request can. */
        SHORT,
        /** For the {@code maxWait} of these calls. */
        LONG,
        /** Until the store answers and the message isn't in flight elsewhere, for a caller that counts calls which throw. */
        UNTIL_DECIDED
    }

    /**
     * Runs a call, if no earlier one with its ID has taken effect.
     *
     * @throws CallDeferredException if it isn't known whether it may run
     * @throws io.dedup.DedupException if it cannot run, and another call wouldn't help: it has no ID, or its ID was refused
     * @throws IllegalStateException if it is made within the run of its own ID, which cannot end while this call waits for it
     * @throws Throwable what the body throws, after its claim was released
     */
    public CallResult run(M message, Body body, Patience patience) throws Throwable {
        Delivery delivery = deliveries.of(topic, message, origin, unused -> null);
        requireNotWithinItsRun(delivery);
        @Nullable Object[] returned = new Object[1];
        RunEnd end;
        do {
            InPlaceRunner.Call call = patience == Patience.SHORT
                    ? runner.call(delivery.topic().policy().inFlightWait())
                    : runner.call();
            end = call.run(delivery, execution -> {
                returned[0] = running(execution.key(), body);
                return null; // results aren't kept for duplicates
            });
        } while (patience == Patience.UNTIL_DECIDED && isUndecided(end) && waits.goOn());
        if (end instanceof RunEnd.NotHandled notHandled) {
            return notRun(notHandled.admission(), patience);
        }
        if (end instanceof RunEnd.Failed failed) {
            throw failed.cause();
        }
        return new CallResult.Returned(returned[0]);
    }

    /** It would wait until its own claim is lost, and then have its effect a second time. */
    private void requireNotWithinItsRun(Delivery delivery) {
        DedupKey id = delivery.key();
        if (id != null && running.contains(new Running(Thread.currentThread(), id)) && !delivery.isShadow()) {
            throw new IllegalStateException("A call with the same ID (" + origin.get()
                    + ") was made within the run of that ID, and would wait for its end forever. Call what does the work"
                    + " directly, without its deduplication");
        }
    }

    private @Nullable Object running(@Nullable DedupKey id, Body body) throws Throwable {
        Running call = id == null ? null : new Running(Thread.currentThread(), id);
        boolean added = call != null && running.add(call);
        try {
            return body.run();
        } finally {
            if (added) {
                running.remove(call);
            }
        }
    }

    /** Whether only waiting helps. A transaction that is undone again and again is a failure in the end. */
    private static boolean isUndecided(RunEnd end) {
        return end instanceof RunEnd.NotHandled notHandled
                && notHandled.admission() instanceof Admission.Defer defer
                && (defer.reason() == DeferReason.STORE_UNAVAILABLE || defer.reason() == DeferReason.IN_FLIGHT);
    }

    private CallResult notRun(Admission admission, Patience patience) {
        if (admission instanceof Admission.Defer defer) {
            Throwable cause = patience == Patience.SHORT
                    ? defer.cause()
                    : RabbitRequeue.cause("Deferred: " + defer.reason(), defer.cause());
            throw new CallDeferredException(origin.get(), defer.reason(), defer.retryAfter(), cause);
        }
        if (admission instanceof Admission.Reject reject) {
            throw reject.cause();
        }
        return new CallResult.NotRun();
    }
}
