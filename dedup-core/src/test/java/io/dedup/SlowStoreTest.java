package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
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
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore.Fault;
import io.dedup.support.FaultyStore.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A store that fails by timeouts: with PROCESS, handlers' threads must not wait for it message by message. */
class SlowStoreTest extends DeduplicatorTestBase {
    private static final int MANY = 30;
    private static final long TIME_OUT_MILLIS = 50;

    private final AtomicInteger waited = new AtomicInteger();
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);

    private enum Shape {
        SINGLE,
        BATCH,
        AHEAD,
        ASYNC
    }

    private Deduplicator processing() {
        return deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
    }

    /** Takes its time to fail. Counts the calls that hold a handler's thread up. */
    private Fault timingOut() {
        return (call, real) -> {
            if (!Thread.currentThread().getName().startsWith("dedup-background")) {
                waited.incrementAndGet();
            }
            try {
                boolean unused = never.await(TIME_OUT_MILLIS, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new DedupStoreException("no answer within " + TIME_OUT_MILLIS + " ms", null);
        };
    }

    private void hangs() {
        for (Op op : Op.values()) {
            store.on(op, timingOut());
        }
        store.pingFails(true);
    }

    private void heals() {
        store.pingFails(false);
        store.heal();
    }

    private void run(Deduplicator dedup, Shape shape, List<String> ids) throws Exception {
        switch (shape) {
            case SINGLE -> {
                for (String id : ids) {
                    assertThat(dedup.execute(key(id), context -> effects.add(id))
                                    .mayAck())
                            .isTrue();
                }
            }
            case BATCH -> {
                for (int i = 0; i < ids.size(); i += 5) {
                    assertThat(dedup.executeAll(
                                    ids.subList(i, i + 5),
                                    DeduplicatorTestBase::key,
                                    items -> items.forEach(item -> effects.add(item.value()))))
                            .allMatch(DedupOutcome::mayAck);
                }
            }
            case AHEAD -> {
                for (int i = 0; i < ids.size(); i += 10) {
                    runAhead(dedup, ids.subList(i, i + 10));
                }
            }
            case ASYNC -> {
                for (String id : ids) {
                    assertThat(dedup.executeAsync(
                                            DedupCall.<Boolean>of(key(id)),
                                            context -> CompletableFuture.completedStage(effects.add(id)))
                                    .toCompletableFuture()
                                    .get(1, TimeUnit.MINUTES)
                                    .mayAck())
                            .isTrue();
                }
            }
        }
    }

    private void runAhead(Deduplicator dedup, List<String> ids) {
        List<Delivery> deliveries = ids.stream()
                .map(id -> Delivery.of(dedup.topic(TOPIC), id, null, () -> "x"))
                .toList();
        List<@Nullable ClaimAhead> claims = DedupAdapter.of(dedup).ahead().claim(deliveries);
        List<Execution> executions = new ArrayList<>();
        for (int i = 0; i < ids.size(); i++) {
            ClaimAhead claim = claims.get(i);
            Admission admission = claim == null
                    ? DedupAdapter.of(dedup).admit(deliveries.get(i), WaitBudget.none())
                    : DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none());
            Execution execution = ((Admission.Run) admission).execution();
            execution.begin();
            effects.add(ids.get(i));
            execution.returned();
            executions.add(execution);
        }
        assertThat(DedupAdapter.of(dedup).succeedAll(executions, WaitBudget.none()))
                .containsOnly(Completion.UNGUARDED);
    }

    private static List<String> ids(String prefix) {
        return IntStream.range(0, MANY).mapToObj(i -> prefix + i).toList();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("PROCESS: after two timeouts nobody's thread waits; when the store answers again it is asked again")
    void claims(Shape shape) throws Exception {
        Deduplicator dedup = processing();
        hangs();

        run(dedup, shape, ids("m"));

        assertThat(effects).containsExactlyElementsOf(ids("m"));
        assertThat(waited).hasValueLessThanOrEqualTo(3);
        heals();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(ids("m")).allMatch(id -> stateOf(id) == State.DONE);
        assertThat(dedup.execute(key("m0"), context -> "again")).isInstanceOf(Duplicate.class);
        assertThat(dedup.execute(key("new"), DedupContext::guarded)).isEqualTo(new Handled<>(true, Completion.DONE));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AHEAD") // completed with one call, as a batch
    @DisplayName("PROCESS: completions of runs that have their claims go to the background after two timeouts")
    void completions(Shape shape) throws Exception {
        Deduplicator dedup = processing();
        store.on(Op.COMPLETE, timingOut());
        store.pingFails(true);

        run(dedup, shape, ids("m"));

        assertThat(waited).hasValueLessThanOrEqualTo(3);
        heals();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(ids("m")).allMatch(id -> stateOf(id) == State.DONE);
        assertThat(dedup.execute(key("new"), DedupContext::guarded)).isEqualTo(new Handled<>(true, Completion.DONE));
    }

    @Test
    @DisplayName("PROCESS: releases go to the background after two timeouts")
    void releases() {
        Deduplicator dedup = processing();
        store.on(Op.RELEASE, timingOut());
        store.pingFails(true);

        for (String id : ids("m")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(key(id), context -> {
                        throw new IllegalStateException("no effect");
                    }));
        }

        assertThat(waited).hasValueLessThanOrEqualTo(3);
        heals();
        await().untilAsserted(() -> assertThat(ids("m")).allMatch(id -> stateOf(id) == State.RELEASED));
    }

    @Test
    @DisplayName("PROCESS: a handler that fails while the store isn't asked leaves nothing behind")
    void failingUnasked() {
        Deduplicator dedup = processing();
        hangs();
        for (String id : ids("m")) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(key(id), context -> {
                        throw new IllegalStateException("no effect");
                    }));
        }
        assertThat(waited).hasValueLessThanOrEqualTo(3);
        heals();
        AtomicInteger next = new AtomicInteger();
        await().until(() -> dedup.execute(key("new" + next.incrementAndGet()), DedupContext::guarded)
                .equals(new Handled<>(true, Completion.DONE)));
        assertThat(dedup.execute(key("m1"), DedupContext::attempt)).isEqualTo(new Handled<>(1, Completion.DONE));
    }

    @Test
    @DisplayName("PROCESS: a store that answers pings and lets claims wait is asked for a tenth of the time")
    void pingsAnswer() throws Exception {
        Deduplicator dedup = processing();
        hangs();
        store.pingFails(false);
        long from = System.nanoTime();

        int messages = 0;
        while (System.nanoTime() - from < TimeUnit.MILLISECONDS.toNanos(TIME_OUT_MILLIS * 20)) {
            String id = "m" + messages++;
            dedup.execute(key(id), context -> effects.add(id));
            boolean unused = never.await(1, TimeUnit.MILLISECONDS);
        }

        assertThat(waited.get()).isBetween(2, 5);
        assertThat(effects).hasSize(messages);
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY", "PAUSE"})
    @DisplayName("RETRY and PAUSE: each message asks, and none runs")
    void others(OnStoreFailure onStoreFailure) {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(onStoreFailure));
        hangs();
        for (int i = 0; i < 5; i++) {
            String id = "m" + i;
            assertThat(dedup.execute(key(id), context -> effects.add(id)).mayAck())
                    .isFalse();
        }
        assertThat(waited.get()).isGreaterThanOrEqualTo(5);
        assertThat(effects).isEmpty();
        heals();
        assertThat(dedup.execute(key("m0"), DedupContext::guarded)).isEqualTo(new Handled<>(true, Completion.DONE));
    }

    @Test
    @DisplayName("RETRY beside PROCESS: the one asks, the other doesn't, also within one batch")
    void mixedBatch() {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.topic("clicks", policy -> policy.onStoreFailure(OnStoreFailure.PROCESS)));
        hangs();
        IntStream.range(0, 3).forEach(i -> dedup.execute(dedup.key("clicks", "c" + i), context -> ""));
        int before = store.calls(Op.CLAIM).size();

        List<DedupOutcome<Void>> outcomes = dedup.executeAll(
                List.of(TOPIC, "clicks"),
                topic -> dedup.key(topic, "x"),
                items -> assertThat(items)
                        .extracting(BatchDedupHandler.Item::value)
                        .containsExactly("clicks"));

        assertThat(outcomes.get(0).mayAck()).isFalse();
        assertThat(outcomes.get(1)).isInstanceOf(Handled.class);
        assertThat(store.calls(Op.CLAIM).stream().skip(before))
                .filteredOn(call -> call.keys().contains(dedup.key(TOPIC, "x")))
                .noneMatch(call -> call.keys().contains(dedup.key("clicks", "x")));
    }

    @Test
    @DisplayName("shadow mode waits for nothing, and neither for timeouts")
    void shadow() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.shadow(true));
        hangs();
        run(dedup, Shape.SINGLE, ids("m"));
        assertThat(effects).hasSize(MANY);
        assertThat(waited).hasValueLessThanOrEqualTo(3);
    }

    @Test
    @DisplayName("PROCESS: a store that fails at once is asked each time, and protects from the moment that it answers")
    void refusing() {
        Deduplicator dedup = processing();
        store.down();
        for (int i = 0; i < 5; i++) {
            String id = "m" + i;
            dedup.execute(key(id), context -> effects.add(id));
        }
        store.heal();
        assertThat(dedup.execute(key("new"), DedupContext::guarded)).isEqualTo(new Handled<>(true, Completion.DONE));
    }
}
