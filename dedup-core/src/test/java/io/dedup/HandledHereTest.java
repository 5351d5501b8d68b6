package io.dedup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** D10: after an outage a process must not run again what it knows has succeeded, although the lease is over. */
class HandledHereTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));

    /** How a copy comes. */
    enum Shape {
        SINGLE,
        BATCH,
        AHEAD,
        ASYNC
    }

    private Delivery delivery(String id) {
        return Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@17");
    }

    private boolean isDuplicate(Shape shape, String id) throws Exception {
        return switch (shape) {
            case SINGLE -> dedup.execute(key(id), context -> effects.add(id)) instanceof Duplicate;
            case BATCH ->
                dedup.executeAll(
                                        List.of(id, "other"),
                                        DeduplicatorTestBase::key,
                                        items -> items.forEach(item -> effects.add(item.value())))
                                .get(0)
                        instanceof Duplicate;
            case AHEAD -> {
                ClaimAhead claim = requireNonNull(DedupAdapter.of(dedup)
                        .ahead()
                        .claim(List.of(delivery(id)))
                        .get(0));
                yield DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none()) instanceof Admission.Duplicate;
            }
            case ASYNC ->
                dedup.executeAsync(
                                        DedupCall.<Boolean>of(key(id)),
                                        context -> CompletableFuture.completedStage(effects.add(id)))
                                .toCompletableFuture()
                                .get(1, TimeUnit.MINUTES)
                        instanceof Duplicate;
        };
    }

    /** Succeeds while the store takes no completions, until its lease is over. */
    private void handledDuringAnOutage(String id) {
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        dedup.execute(key(id), context -> effects.add(id));
        clock.advance(LEASE.plusSeconds(1));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("D10 a copy of what waits for the store is a duplicate, and leaves the first one's claim alone")
    void pending(Shape shape) throws Exception {
        handledDuringAnOutage("a");

        assertThat(isDuplicate(shape, "a")).isTrue();

        assertThat(effects).containsOnlyOnce("a");
        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(record("a").attempt()).isEqualTo(1);
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(events.all()).contains("pending a", "completed a").doesNotContain("dropped a", "lost a");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "D10 a copy whose claim is granted while the first one's completion is being sent doesn't run; its claim"
                    + " records the success")
    void beingSent(Shape shape) throws Exception {
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        store.on(Op.COMPLETE, Faults.hanging(sending, go)).on(Op.RENEW, Faults.down());
        CompletableFuture<DedupOutcome<Boolean>> first =
                CompletableFuture.supplyAsync(() -> dedup.execute(key("a"), context -> effects.add("a")));
        sending.await();
        clock.advance(LEASE.plusSeconds(1));
        if (shape == Shape.BATCH) { // its other message is to be completed
            store.on(Op.COMPLETE, Faults.forKeys(key("a")::equals));
        }

        assertThat(isDuplicate(shape, "a")).isTrue();

        store.heal();
        go.countDown();
        assertThat(first.get(1, TimeUnit.MINUTES)).isEqualTo(new Handled<>(true, Completion.PENDING));
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(effects).containsOnlyOnce("a");
        assertThat(events.all()).doesNotContain("lost a", "dropped a");
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("D10 a copy's claim that was granted before the success, and answered after it, doesn't run")
    void answeredLate(boolean ahead) throws Exception {
        Execution first = begun("a");
        clock.advance(LEASE.plusSeconds(1));
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            granted.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return answers;
        });
        CompletableFuture<Boolean> copy = CompletableFuture.supplyAsync(() -> {
            try {
                return isDuplicate(ahead ? Shape.AHEAD : Shape.SINGLE, "a");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        granted.await();
        effects.add("a");
        assertThat(first.succeed(null, WaitBudget.none())).isEqualTo(Completion.LEASE_LOST); // nobody knows why yet
        go.countDown();

        assertThat(copy.get(1, TimeUnit.MINUTES)).isTrue();

        await().until(() -> stateOf("a") == State.DONE);
        assertThat(effects).containsExactly("a");
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
    }

    private Execution begun(String id) {
        Admission admission = DedupAdapter.of(dedup).admit(delivery(id), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    @Test
    @DisplayName("D10 a copy that was claimed ahead before the first one succeeded isn't run at its turn")
    void claimedAheadBefore() {
        Execution first = begun("a");
        clock.advance(LEASE.plusSeconds(1));
        ClaimAhead copy = requireNonNull(
                DedupAdapter.of(dedup).ahead().claim(List.of(delivery("a"))).get(0));
        assertThat(first.succeed(null, WaitBudget.none())).isEqualTo(Completion.LEASE_LOST);

        assertThat(DedupAdapter.of(dedup).ahead().admit(copy, WaitBudget.none()))
                .isInstanceOf(Admission.Duplicate.class);

        await().until(() -> stateOf("a") == State.DONE);
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    @DisplayName("D10 a claim that is given back unused records the success of the run that it has replaced")
    void givenBack() {
        Execution first = begun("a");
        clock.advance(LEASE.plusSeconds(1));
        ClaimAhead copy = requireNonNull(
                DedupAdapter.of(dedup).ahead().claim(List.of(delivery("a"))).get(0));
        first.returned();
        DedupAdapter.of(dedup).ahead().giveBack(List.of(copy));

        assertThat(first.succeed(null, WaitBudget.none())).isEqualTo(Completion.PENDING);

        await().until(() -> stateOf("a") == State.DONE);
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
    }

    @Test
    @DisplayName(
            "D10 a handler has succeeded, and its completion waits for others: a copy elsewhere in the process is known")
    void queued() throws Exception {
        Execution first = begun("a");
        first.returned();
        clock.advance(LEASE.plusSeconds(1));

        assertThat(isDuplicate(Shape.SINGLE, "a")).isTrue();

        assertThat(DedupAdapter.of(dedup).succeedAll(List.of(first), WaitBudget.none()))
                .containsExactly(Completion.PENDING);
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName(
            "D10 messages with which processes have died are given back, to be run alone: none of them is forgotten")
    void isolated() {
        Deduplicator careful = deduplicator(policy -> policy.lease(LEASE).maxDeaths(5));
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        store.on(Op.COMPLETE, Faults.hanging(sending, go));
        CompletableFuture<Completion> first = CompletableFuture.supplyAsync(
                () -> ((Handled<Boolean>) careful.execute(key("a"), context -> effects.add("a"))).completion());
        await().until(() -> sending.getCount() == 0);
        clock.advance(LEASE.plusSeconds(1));

        List<DedupOutcome<Void>> outcomes = careful.executeAll(
                List.of("a", "a"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> effects.add(item.value())));

        assertThat(outcomes).hasSize(2).allMatch(Duplicate.class::isInstance);
        go.countDown();
        assertThat(first.join()).isEqualTo(Completion.PENDING);
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(effects).containsExactly("a");
    }
}
