package io.dedup.spring.boot.internal.method;

import io.dedup.Deduplicator;
import io.dedup.id.MessageIdExtractor;
import io.dedup.spring.boot.CallDeferredException;
import io.dedup.spring.boot.internal.call.CallResult;
import io.dedup.spring.boot.internal.call.CallWaits;
import io.dedup.spring.boot.internal.call.DeduplicatedCalls;
import io.dedup.spring.boot.internal.check.LateResults;
import io.dedup.spring.boot.internal.store.MethodTransactions;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.Advised;

/** The calls of one method: each runs under a claim or in a transaction, or not at all. Thread-safe. */
final class MethodCalls {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final DeduplicatedMethod method;
    private final Caller caller;
    private final String topic;
    private final DeduplicatedCalls<List<@Nullable Object>> calls;
    private final boolean leavesTransactions;
    private final boolean hasMaxWait;
    /** The proxy that was called last: the only one of a singleton. */
    private volatile WeakReference<@Nullable Object> checked = new WeakReference<>(null);

    MethodCalls(
            DeduplicatedMethod method,
            String topic,
            Deduplicator deduplicator,
            MessageIdExtractor<? super List<@Nullable Object>> id,
            CallWaits waits,
            @Nullable Duration maxWait) {
        this.method = method;
        this.caller = Caller.of(method);
        this.topic = topic;
        this.calls = new DeduplicatedCalls<>(
                topic, deduplicator, id, "topic " + topic + ", method " + method.name(), waits, maxWait);
        this.hasMaxWait = maxWait != null;
        this.leavesTransactions = MethodTransactions.leavesCallers(method.method(), method.type());
    }

    /** Whether a call may wait for long on the thread of a publisher that still holds the connection of its transaction. */
    boolean mayHoldPublisher() {
        return Caller.isTransactionalEvent(method) && !Caller.isAsync(method) && !hasMaxWait;
    }

    /**
     * Checks what else intercepts the calls of a bean: at start that is known only of those that are made by then, but not of lazy ones,
     * and those of narrower scopes. Such a bean's own proxy is asked, before anything is claimed.
     *
     * @throws io.dedup.spring.boot.DedupConfigurationException when effects would happen later than they are recorded, or be lost
     */
    void requireIntercepted(Object proxy) {
        if (checked.get() != proxy && proxy instanceof Advised) { // an opaque one doesn't tell
            MethodRules.requireIntercepted(method, proxy);
            checked = new WeakReference<>(proxy);
        }
    }

    /**
     * Runs a call, if no earlier one with its ID has taken effect.
     *
     * @return what the method returned; null or an empty Optional if it didn't run
     * @throws CallDeferredException if it isn't known whether it may run
     * @throws io.dedup.DedupException if it cannot run, and another call wouldn't help: it has no ID, or its ID was refused
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
        DeduplicatedCalls.Body body = DeduplicatedCalls.Body.of(invocation);
        return run(values, () -> ended(body.run())) instanceof CallResult.Returned returned
                ? returned.value()
                : method.method().getReturnType() == Optional.class ? Optional.empty() : null;
    }

    /** Fails the run of a method whose effect may still happen: it isn't known what its declared result is, such as an Object. */
    private @Nullable Object ended(@Nullable Object result) {
        Class<?> late = LateResults.in(result);
        if (late != null) {
            throw new IllegalStateException("Method " + method.name() + " (topic " + topic + ") has returned a "
                    + late.getSimpleName() + MethodRules.LATE + ". The call counts as failed");
        }
        return result;
    }

    private CallResult run(List<@Nullable Object> arguments, DeduplicatedCalls.Body body) throws Throwable {
        try {
            return calls.run(arguments, body, caller.patience(hasMaxWait));
        } catch (CallDeferredException e) {
            if (caller == Caller.GIVES_UP) {
                log.error(
                        "{}. Nothing calls method {} again, so its effect never happens, unless the event is published"
                                + " again as Spring Modulith can do",
                        e.getMessage(),
                        method.name());
            }
            throw e;
        }
    }

    /** As it is called in {@code dedup.listeners}, logs and errors. */
    String name() {
        return method.name();
    }

    /** Whether it may be called in a transaction. */
    boolean leavesTransactions() {
        return leavesTransactions;
    }
}
