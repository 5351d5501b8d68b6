package io.dedup.spring.boot.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.spring.boot.CallDeferredException;
import io.dedup.spring.boot.internal.call.DeduplicatedCalls.Patience;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

/** Calls that wait for a message in flight elsewhere. */
class CallWaitsTest {
    private static final Duration LEASE = Duration.ofHours(1);

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a call waits as its caller can, and all waits end when the application closes, but not when a child of it does")
    void closing(Patience patience) throws Exception {
        InMemoryDedupStore store = new InMemoryDedupStore();
        store.claim(List.of(new ClaimRequest(
                new DedupKey(DedupScope.of("billing", "orders"), "a"), new Owner("elsewhere"), LEASE)));
        try (GenericApplicationContext application = new GenericApplicationContext();
                GenericApplicationContext child = new GenericApplicationContext(application);
                Deduplicator dedup = Deduplicators.builder(store)
                        .consumer("billing")
                        .topic(
                                "orders",
                                policy -> policy.lease(LEASE)
                                        .maxProcessingTime(LEASE)
                                        .inFlightWait(Duration.ofMillis(10)))
                        .build()) {
            CallWaits waits = new CallWaits(application.getBeanFactory(), Duration.ofMillis(50));
            DeduplicatedCalls<String> calls =
                    new DeduplicatedCalls<>("orders", dedup, message -> message, "orders", waits, null);
            Thread[] thread = new Thread[1];
            CompletableFuture<CallDeferredException> deferred = CompletableFuture.supplyAsync(() -> {
                thread[0] = Thread.currentThread();
                try {
                    calls.run("a", () -> "never", patience);
                } catch (CallDeferredException e) {
                    return e;
                } catch (Throwable e) {
                    throw new IllegalStateException(e);
                }
                throw new IllegalStateException("ran");
            });
            if (patience != Patience.SHORT) {
                Awaitility.await().until(() -> thread[0] != null && thread[0].getState() == Thread.State.TIMED_WAITING);
                waits.onApplicationEvent(new ContextClosedEvent(child));
                assertThat(deferred).isNotDone();
                waits.onApplicationEvent(new ContextClosedEvent(application));
            }
            assertThat(deferred.get().reason()).isEqualTo(DeferReason.IN_FLIGHT);
        }
    }

    @Test
    @DisplayName(
            "what is called for the first time while the application closes doesn't wait any longer than the others")
    void afterClosing() throws Exception {
        InMemoryDedupStore store = new InMemoryDedupStore();
        store.claim(List.of(new ClaimRequest(
                new DedupKey(DedupScope.of("billing", "orders"), "a"), new Owner("elsewhere"), LEASE)));
        try (GenericApplicationContext application = new GenericApplicationContext();
                Deduplicator dedup = Deduplicators.builder(store)
                        .consumer("billing")
                        .topic("orders", policy -> policy.lease(LEASE).maxProcessingTime(LEASE))
                        .build()) {
            CallWaits waits = new CallWaits(application.getBeanFactory(), Duration.ofMillis(50));
            waits.onApplicationEvent(new ContextClosedEvent(application));
            DeduplicatedCalls<String> calls =
                    new DeduplicatedCalls<>("orders", dedup, message -> message, "orders", waits, null);
            CompletableFuture<Throwable> deferred = CompletableFuture.supplyAsync(
                    () -> catchThrowable(() -> calls.run("a", () -> "never", Patience.LONG)));
            assertThat(deferred).succeedsWithin(Duration.ofSeconds(30)).isInstanceOf(CallDeferredException.class);
        }
    }
}
