package io.dedup.spring.boot.internal.method;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.WaitBudget;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import io.dedup.spring.boot.internal.store.MethodTransactions;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/** The calls of one method: each runs under a claim or in a transaction, or not at all. Thread-safe. */
final class MethodCalls {
    private final DeduplicatedMethod method;
    private final String topic;
    private final DedupAdapter dedup;
    private final DeliveryFactory<List<@Nullable Object>> deliveries;
    private final Supplier<String> origin;
    private final boolean leavesTransactions;

    MethodCalls(
            DeduplicatedMethod method,
            String topic,
            Deduplicator deduplicator,
            MessageIdExtractor<? super List<@Nullable Object>> id) {
        this.method = method;
        this.topic = topic;
        this.dedup = DedupAdapter.of(deduplicator);
        this.deliveries = new DeliveryFactory<>(deduplicator::topic, id, Map.of());
        String name = "topic " + topic + ", method " + method.name();
        this.origin = () -> name;
        this.leavesTransactions = MethodTransactions.leavesCallers(method.method(), method.type());
    }

    /**
     * Runs a call, if no earlier one with its ID has taken effect.
     *
     * @return what the method returned; null or an empty Optional if it didn't run
     * @throws CallDeferredException if it isn't known whether it may run
     * @throws io.dedup.DedupException if it can't run, and another call wouldn't help: it has no ID, or its ID was refused
     * @throws Throwable what the method throws, after its claim was released
     */
    @Nullable
    Object run(MethodInvocation invocation) throws Throwable {
        if (!leavesTransactions && MethodTransactions.isOpen()) {
            throw new IllegalStateException(
                    "Method " + method.name() + " (topic " + topic
                            + ") was called in an open transaction. If that were rolled back, the effect would be gone, but recorded as"
                            + " done. Call the method outside of a transaction, or put @Deduplicated on the method that opens it");
        }
        @Nullable Object[] arguments = invocation.getArguments();
        List<@Nullable Object> values = Collections.unmodifiableList(Arrays.asList(arguments));
        Delivery delivery = deliveries.of(topic, values, origin, unused -> null);
        WaitBudget budget = WaitBudget.of(delivery.topic().policy().inFlightWait());
        Admission admission = dedup.admit(delivery, budget);
        if (!(admission instanceof Admission.Run run)) {
            return notRun(admission);
        }
        @Nullable Object[] returned = new Object[1];
        RunEnd end = dedup.run(
                run.execution(),
                execution -> {
                    returned[0] = invocation.proceed();
                    return null; // results aren't kept for duplicates
                },
                budget);
        if (end instanceof RunEnd.NotRun notRun) {
            return notRun(notRun.admission());
        }
        if (end instanceof RunEnd.Failed failed) {
            throw failed.cause();
        }
        return returned[0];
    }

    private @Nullable Object notRun(Admission admission) {
        if (admission instanceof Admission.Defer defer) {
            throw new CallDeferredException(origin.get(), defer.reason(), defer.retryAfter(), defer.cause());
        }
        if (admission instanceof Admission.Reject reject) {
            throw reject.cause();
        }
        return method.method().getReturnType() == Optional.class ? Optional.empty() : null;
    }
}
