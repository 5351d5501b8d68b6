package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Handled;
import io.dedup.store.ClaimRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Call;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** On a running clock. */
@Execution(ExecutionMode.CONCURRENT)
class HeartbeatTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofMillis(600);

    private final FaultyStore running = new FaultyStore(new InMemoryDedupStore());

    private Deduplicator dedup(Duration maxProcessingTime) {
        return deduplicator(running, policy -> policy.lease(LEASE).maxProcessingTime(maxProcessingTime));
    }

    @Test
    void renewsAtAThirdOfTheLease() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        long from = System.nanoTime();

        dedup.execute(key("a"), context -> {
            await().until(() -> renewals() >= 6);
            await().until(() -> !context.leaseLost()); // on a machine that stalls, the next renewal
            return "";
        });

        // At most every quarter, and in the mean about every third; how late, depends on the machine's load.
        List<Long> at = running.calls(Op.RENEW).stream().map(Call::at).toList();
        assertThat(IntStream.range(1, at.size()).mapToObj(i -> Duration.ofNanos(at.get(i) - at.get(i - 1))))
                .allSatisfy(gap -> assertThat(gap).isGreaterThan(LEASE.dividedBy(5)));
        assertThat(Duration.ofNanos(at.get(5) - from)).isLessThan(LEASE.multipliedBy(5));
        assertThat(running.find(key("a")).orElseThrow().state()).isEqualTo(State.DONE);
    }

    @Test
    void allClaimsAreRenewedWithOneCall() {
        List<String> ids = IntStream.range(0, 200).mapToObj(Integer::toString).collect(Collectors.toList());

        dedup(Duration.ofMinutes(1))
                .executeAll(ids, DeduplicatorTestBase::key, items -> await().until(() -> renewals() >= 3));

        assertThat(running.calls(Op.RENEW))
                .allSatisfy(call -> assertThat(call.keys()).hasSize(200));
    }

    @Test
    void aHandlerThatIsQuickCostsNoRenewal() {
        Deduplicator dedup = deduplicator(running, policy -> policy);
        for (int i = 0; i < 1_000; i++) {
            dedup.execute(key("m" + i), context -> "");
        }
        assertThat(running.calls(Op.RENEW)).isEmpty();
    }

    @Test
    void stopsAtMaxProcessingTimeAndTellsTheHandler() {
        Deduplicator dedup = dedup(LEASE.multipliedBy(2));

        DedupOutcome<Duration> outcome = dedup.execute(key("a"), context -> {
            long from = System.nanoTime();
            await().until(() -> events.count("overrun a") == 1);
            Duration until = Duration.ofNanos(System.nanoTime() - from);
            int renewals = renewals();
            await().until(() -> context.leaseLost() && context.leaseRemaining().isZero());
            await().until(() -> events.count("lost a") == 1);
            assertThat(renewals()).as("renewals after the overrun").isEqualTo(renewals);
            return until;
        });

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Handled.class,
                        handled -> assertThat((Duration) handled.value()).isGreaterThan(LEASE.multipliedBy(2)));
        assertThat(events.count("overrun a")).isEqualTo(1);
        assertThat(events.count("lost a")).isEqualTo(1);
    }

    @Test
    void theStoresAnswerTellsALostLeaseBeforeTheLocalDeadline() {
        Deduplicator dedup = deduplicator(running, policy -> policy.lease(Duration.ofSeconds(9)));

        DedupOutcome<Boolean> outcome = dedup.execute(key("a"), context -> {
            running.intact().forget(key("a"), LiveLease.OVERRIDE);
            running.intact()
                    .claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                    .get(0);
            await().until(() -> events.count("lost a") == 1);
            return context.leaseLost();
        });

        assertThat(outcome).isEqualTo(new Handled<>(true, Completion.LEASE_LOST));
        assertThat(events.count("lost a")).isEqualTo(1);
    }

    @Test
    @DisplayName("when the store hangs, the local deadline tells a lost lease")
    void localDeadline() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        CountDownLatch healed = new CountDownLatch(1);
        running.on(Op.RENEW, Faults.hanging(new CountDownLatch(1), healed));

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            long from = System.nanoTime();
            await().pollInterval(Duration.ofMillis(10)).until(context::leaseLost);
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isGreaterThan(LEASE.dividedBy(2));
            assertThat(context.leaseRemaining()).isZero();
            healed.countDown();
            await().until(() -> !context.leaseLost()); // nobody took over, and the renewal says so
            return "effect";
        });

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(events.count("lost a")).isLessThanOrEqualTo(1);
    }

    static Stream<Supplier<Throwable>> whatStoresThrow() {
        return Stream.of(
                () -> new IllegalStateException("a bug"),
                () -> new NoClassDefFoundError("a wrong class path"),
                OutOfMemoryError::new);
    }

    @ParameterizedTest
    @MethodSource("whatStoresThrow")
    void survivesWhateverTheStoreThrows(Supplier<Throwable> thrown) {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        running.on(Op.RENEW, Faults.times(2, Faults.throwing(thrown)));

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            await().until(() -> renewals() >= 5 && !context.leaseLost());
            return "";
        });

        assertThat(outcome).isEqualTo(new Handled<>("", Completion.DONE));
        assertThat(events.count("store error renew")).isEqualTo(2);
    }

    @Test
    void anErrorForOneClaimDoesNotConcernTheOthers() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        running.on(Op.RENEW, Faults.forKeys(key -> key.messageId().equals("b")));

        dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
            await().until(() -> events.count("lost b") == 1);
            assertThat(items.get(1).context().leaseLost()).isTrue();
            await().until(() -> !items.get(0).context().leaseLost());
        });
    }

    @Test
    @DisplayName("a renewal that arrives after the completion isn't taken for a lost lease")
    void renewalAfterCompletion() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        CountDownLatch renewing = new CountDownLatch(1);
        CountDownLatch completed = new CountDownLatch(1);
        running.on(Op.RENEW, Faults.hanging(renewing, completed));

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            await().until(() -> renewing.getCount() == 0);
            return "effect";
        });
        completed.countDown();
        DedupOutcome<String> next = dedup.execute(key("b"), context -> {
            await().until(() -> running.calls(Op.RENEW).size() >= 2);
            return "effect";
        });

        assertThat(List.of(outcome, next)).containsOnly(new Handled<>("effect", Completion.DONE));
        assertThat(events.count("lost a")).isZero();
    }

    @Test
    @DisplayName("a claim isn't renewed any more once its completion is on its way")
    void noRenewalDuringCompletion() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        running.on(Op.COMPLETE, (call, real) -> {
            int before = running.calls(Op.RENEW).size();
            // Another claim shows that the heartbeat beats.
            dedup.execute(key("b"), context -> {
                await().until(() -> running.calls(Op.RENEW).size() >= before + 3);
                running.heal();
                return "";
            });
            assertThat(running.calls(Op.RENEW).subList(before, before + 3))
                    .noneMatch(renewal -> renewal.keys().contains(key("a")));
            return real.apply(call.requests());
        });

        assertThat(dedup.execute(key("a"), context -> "effect")).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    @DisplayName("close() waits for handlers, and their leases are renewed meanwhile")
    void outlivesHandlersAtClose() {
        Deduplicator dedup = deduplicator(
                running, policy -> policy.lease(LEASE), builder -> builder.shutdownTimeout(Duration.ofMinutes(1)));
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<DedupOutcome<Boolean>> outcome =
                CompletableFuture.supplyAsync(() -> dedup.execute(key("a"), context -> {
                    started.countDown();
                    await().until(() -> mayEnd.getCount() == 0);
                    await().until(() -> !context.leaseLost());
                    return true;
                }));
        await().until(() -> started.getCount() == 0);

        CompletableFuture<Void> closed = CompletableFuture.runAsync(dedup::close);
        int before = renewals();
        await().until(() -> renewals() >= before + 4);
        assertThat(closed).isNotDone();
        mayEnd.countDown();

        assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
        assertThat(outcome).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(new Handled<>(true, Completion.DONE));
    }

    @Test
    @DisplayName("close() waits for a completion that is being repeated")
    void closeWaitsForCloseOuts() {
        Deduplicator dedup = deduplicator(
                running,
                policy -> policy.inFlightWait(Duration.ofSeconds(30)),
                builder -> builder.shutdownTimeout(Duration.ofMinutes(1)));
        running.on(Op.COMPLETE, Faults.down());
        CompletableFuture<DedupOutcome<String>> outcome =
                CompletableFuture.supplyAsync(() -> dedup.execute(key("a"), context -> "effect"));
        await().until(() -> running.calls(Op.COMPLETE).size() >= 2);

        CompletableFuture<Void> closed = CompletableFuture.runAsync(dedup::close);
        int before = running.calls(Op.COMPLETE).size();
        await().until(() -> running.calls(Op.COMPLETE).size() >= before + 2);
        assertThat(closed).isNotDone();
        running.heal();

        assertThat(closed).succeedsWithin(Duration.ofSeconds(10));
        assertThat(outcome).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    void leaseLostIsToldOnceWhenHeartbeatAndCompletionFindOut() {
        Deduplicator dedup = dedup(Duration.ofMinutes(1));
        DedupStore intact = running.intact();
        running.on(Op.RENEW, (call, real) -> List.of(WriteResult.leaseLost()));

        dedup.execute(key("a"), context -> {
            await().until(context::leaseLost);
            intact.forget(key("a"), LiveLease.OVERRIDE);
            return "";
        });

        assertThat(events.count("lost a")).isEqualTo(1);
    }

    private int renewals() {
        return running.calls(Op.RENEW).size();
    }
}
