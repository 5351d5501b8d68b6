package io.dedup.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.engine.DedupEngine;
import io.dedup.internal.engine.EngineSettings;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.Events;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MovableClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimSettlementTest {
    private final MovableClock clock = new MovableClock();
    private final FaultyStore store = new FaultyStore(new InMemoryDedupStore(clock, Duration.ofDays(7)));
    private final Events events = new Events();
    private final DedupEngine engine = new DedupEngine(new EngineSettings(
            store,
            false,
            null,
            null,
            List.of(events),
            null,
            null,
            null,
            null,
            new EngineThreads(),
            Duration.ofSeconds(30),
            Duration.ZERO));
    private final DedupTopic topic = topic(DedupPolicy.builder());
    private final DedupTopic shadow = topic(DedupPolicy.builder().shadow(true));

    private static DedupTopic topic(DedupPolicy.Builder policy) {
        return new DedupTopic(
                DedupScope.of("billing", "orders"),
                policy.onMissingId(OnMissingId.PROCESS)
                        .onStoreFailure(OnStoreFailure.PROCESS)
                        .build());
    }

    @AfterEach
    void close() {
        store.heal();
        engine.close();
    }

    @Test
    void onlyTheFirstCloseOutCounts() {
        Execution execution = admit(topic, "a");
        execution.begin();

        assertThat(execution.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);

        assertThat(execution.succeed(null, WaitBudget.none())).isEqualTo(Completion.UNGUARDED);
        assertThat(execution.fail(new IllegalStateException("late"))).isFalse();
        execution.giveBack();
        execution.abandon();
        assertThat(engine.failAll(List.of(execution), null)).isFalse();
        assertThat(state("a")).isEqualTo(State.DONE);
        assertThat(store.calls(Op.RELEASE)).isEmpty();
    }

    @Test
    @DisplayName("a lost claim and its successor in the same process never meet in one batch of the store")
    void releasedTogether() {
        Execution lost = admit(topic, "a");
        clock.advance(Duration.ofMinutes(1));
        List<Execution> executions = List.of(lost, admit(topic, "a"), admit(topic, "b"));
        executions.forEach(Execution::begin);

        assertThat(engine.failAll(executions, new IllegalStateException("x"))).isTrue();

        assertThat(state("a")).isEqualTo(State.RELEASED);
        assertThat(state("b")).isEqualTo(State.RELEASED);
        assertThat(events.all()).contains("lost a", "released a", "released b");
    }

    @Test
    @DisplayName("completions come in the order of their executions, whatever kind those are")
    void succeedAllKeepsTheOrder() {
        Execution lost = admit(topic, "lost");
        clock.advance(Duration.ofMinutes(1));
        Execution successor = admit(topic, "lost");
        Execution closed = admit(topic, "closed");
        closed.giveBack();
        store.on(Op.CLAIM, Faults.down());
        Execution storeDown = admit(topic, "down");
        store.heal();
        Execution a = admit(topic, "a");
        Execution b = admit(topic, "b");
        Execution watched = admit(shadow, "s");
        Execution withoutId = admit(topic, null);
        store.on(Op.COMPLETE, Faults.forKeys(key -> key.messageId().equals("b")));

        assertThat(engine.succeedAll(
                        List.of(closed, watched, a, withoutId, b, lost, storeDown, a, successor), WaitBudget.none()))
                .containsExactly(
                        Completion.UNGUARDED,
                        Completion.UNGUARDED,
                        Completion.DONE,
                        Completion.UNGUARDED,
                        Completion.PENDING,
                        Completion.LEASE_LOST,
                        Completion.UNGUARDED,
                        Completion.UNGUARDED, // the second time
                        Completion.DONE);
        assertThat(engine.inFlight()).isZero();
        store.heal();
        await().until(() -> engine.pendingCompletions() == 0);
        assertThat(List.of(state("a"), state("b"), state("down"), state("lost")))
                .containsOnly(State.DONE);
    }

    @Test
    void failAllReleasesEachByWhetherItStarted() {
        Execution started = admit(topic, "started");
        started.begin();
        Execution waiting = admit(topic, "waiting");
        Execution withoutId = admit(topic, null);

        assertThat(engine.failAll(List.of(withoutId, started, waiting), new IllegalStateException("x")))
                .isFalse();

        assertThat(store.find(started.key()).orElseThrow().attempt()).isEqualTo(1);
        assertThat(store.find(waiting.key()).orElseThrow().attempt()).isZero();
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    void failAllTellsWhetherAnyWasLost() {
        List<Execution> executions = new ArrayList<>(List.of(admit(topic, "a"), admit(topic, "b")));
        clock.advance(Duration.ofMinutes(1));
        Execution successor = admit(topic, "b");

        assertThat(engine.failAll(executions, new IllegalStateException("x"))).isTrue();

        assertThat(state("a")).isEqualTo(State.RELEASED);
        assertThat(state("b")).isEqualTo(State.PROCESSING);
        assertThat(successor.leaseLost()).isFalse();
        assertThat(events.all()).contains("lost b", "deferred b LEASE_LOST", "released a");
    }

    @Test
    void givingBackALostClaimIsNoDeferral() {
        Execution execution = admit(topic, "a");
        clock.advance(Duration.ofMinutes(1));
        Execution successor = admit(topic, "a");
        execution.giveBack();

        assertThat(events.all()).contains("lost a").noneMatch(event -> event.startsWith("deferred"));
        assertThat(successor.attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("what is given back before its start doesn't count, what is abandoned is left alone")
    void giveBackAndAbandon() {
        admit(topic, "a").giveBack();
        admit(topic, "b").abandon();

        assertThat(store.find(admit(topic, "a").key()).orElseThrow().attempt()).isEqualTo(1);
        assertThat(state("b")).isEqualTo(State.PROCESSING);
        assertThat(engine.inFlight()).isEqualTo(1); // the second claim of a
    }

    @Test
    @DisplayName("an adapter whose code throws in the middle of a batch leaves no claim behind")
    void admitAllThatThrows() {
        Delivery bad = new Delivery(topic, null, "none", null, () -> {
            throw new IllegalStateException("a bug in an adapter");
        });

        assertThatIllegalStateException()
                .isThrownBy(() -> engine.admitAll(List.of(delivery(topic, "a"), bad), WaitBudget.none()));

        assertThat(engine.inFlight()).isZero();
        assertThat(state("a")).isEqualTo(State.RELEASED);
    }

    private State state(String id) {
        return store.find(topic.scope().key(id)).orElseThrow().state();
    }

    private Execution admit(DedupTopic to, @Nullable String id) {
        return ((Admission.Run) engine.admit(delivery(to, id), WaitBudget.none())).execution();
    }

    private static Delivery delivery(DedupTopic to, @Nullable String id) {
        return Delivery.of(to, id, null, () -> "orders-0@17");
    }
}
