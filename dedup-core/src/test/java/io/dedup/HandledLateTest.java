package io.dedup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.operator.RecordEraser;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** D10: what a process has handled, and is hard to know: its claim has left the heartbeat, or a copy's claim got no answer. */
class HandledLateTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);

    private static final Fingerprint ONE = new Fingerprint("one");
    private static final Fingerprint TWO = new Fingerprint("two");

    private final List<String> effects = new CopyOnWriteArrayList<>();

    private static Delivery delivery(Deduplicator dedup, String id) {
        return delivery(dedup, id, null);
    }

    private static Delivery delivery(Deduplicator dedup, String id, @Nullable Fingerprint payload) {
        return Delivery.of(dedup.topic(TOPIC), id, payload, () -> "orders-0@17");
    }

    private static Execution begun(Deduplicator dedup, String id) {
        return begun(dedup, id, null);
    }

    private static Execution begun(Deduplicator dedup, String id, @Nullable Fingerprint payload) {
        Admission admission = DedupAdapter.of(dedup).admit(delivery(dedup, id, payload), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private static ClaimAhead ahead(Deduplicator dedup, String id) {
        return requireNonNull(DedupAdapter.of(dedup)
                .ahead()
                .claim(List.of(delivery(dedup, id)))
                .get(0));
    }

    @Test
    @DisplayName(
            "D10 K18 a run that was lost to a copy's claim, and has left the heartbeat, succeeds: the copy doesn't run")
    void lostToACopy() {
        Deduplicator dedup = deduplicator(policy -> policy.lease(SHORT));
        store.on(Op.RENEW, Faults.down());
        Execution first = begun(dedup, "a");
        clock.advance(SHORT.plusSeconds(1));
        ClaimAhead copy = ahead(dedup, "a");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 1);
        first.returned(); // and its completion waits for others

        assertThat(DedupAdapter.of(dedup).ahead().admit(copy, WaitBudget.none()))
                .isInstanceOf(Admission.Duplicate.class);

        assertThat(DedupAdapter.of(dedup).succeedAll(List.of(first), WaitBudget.none()))
                .containsExactly(Completion.PENDING);
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName(
            "D10 K18 a run that took too long, and has left the heartbeat, succeeds: no copy runs while its completion is sent")
    void overdue() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.lease(SHORT).maxProcessingTime(SHORT.multipliedBy(2)));
        Execution first = begun(dedup, "a");
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        clock.advance(SHORT.plusSeconds(1));
        CountDownLatch sending = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        store.on(Op.COMPLETE, Faults.hanging(sending, go));
        effects.add("a");
        CompletableFuture<Completion> completion =
                CompletableFuture.supplyAsync(() -> first.succeed(null, WaitBudget.none()));
        sending.await();

        DedupOutcome<Boolean> copy = CompletableFuture.supplyAsync(
                        () -> dedup.execute(key("a"), context -> effects.add("a")))
                .completeOnTimeout(
                        new DedupOutcome.Deferred<>(DeferReason.IN_FLIGHT, SHORT, null), 10, TimeUnit.SECONDS)
                .join();
        go.countDown();

        assertThat(effects).containsExactly("a");
        assertThat(copy).isInstanceOf(Duplicate.class);
        assertThat(completion.get(1, TimeUnit.MINUTES)).isIn(Completion.DONE, Completion.PENDING);
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName(
            "D10 asynchronous work that has ended, and waits for a thread that records it: no copy of its message runs")
    void recordedLate() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.lease(SHORT).maxProcessingTime(SHORT.multipliedBy(2)));
        CountDownLatch go = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) { // more than there are threads
            DedupAdapter.of(dedup).settlements().execute(() -> awaitQuietly(go));
        }
        CompletableFuture<String> work = new CompletableFuture<>();
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());
        var first = dedup.executeAsync(call, context -> work);
        effects.add("a");
        work.complete("result");
        clock.advance(SHORT.plusSeconds(1));
        DedupHandler<String, RuntimeException> again = context -> {
            effects.add("a");
            return "another";
        };

        assertThat(dedup.execute(call, again))
                .isInstanceOfSatisfying(
                        Duplicate.class, copy -> assertThat(copy.value()).isEqualTo("result"));

        go.countDown();
        assertThat(first.toCompletableFuture().get(1, TimeUnit.MINUTES)).isInstanceOf(Handled.class);
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(dedup.execute(call, again))
                .isInstanceOfSatisfying(
                        Duplicate.class, copy -> assertThat(copy.value()).isEqualTo("result"));
        assertThat(effects).containsExactly("a");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private enum Shape {
        SINGLE,
        BATCH,
        AHEAD
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "D10 a copy's claim whose answer is lost, and that isn't asked for again since the first one succeeded, records it")
    void unansweredThenKnown(Shape shape) {
        Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE).inFlightWait(Duration.ofSeconds(1)));
        Execution first = begun(dedup, "a");
        clock.advance(LEASE.plusSeconds(1));
        AtomicReference<Completion> completion = new AtomicReference<>();
        store.on(Op.COMPLETE, Faults.down());
        store.on(
                Op.CLAIM,
                Faults.times(1, (call, real) -> { // granted, but while the answer gets lost the first one succeeds
                    List<?> unused = real.apply(call.requests());
                    effects.add("a");
                    completion.set(first.succeed(null, WaitBudget.none()));
                    throw new DedupStoreException("answer lost", null);
                }));

        boolean duplicate = switch (shape) {
            case SINGLE -> dedup.execute(key("a"), context -> effects.add("a")) instanceof Duplicate;
            case BATCH ->
                dedup.executeAll(List.of("a", "a"), DeduplicatorTestBase::key, items -> effects.add("a")).stream()
                        .allMatch(Duplicate.class::isInstance);
            case AHEAD ->
                DedupAdapter.of(dedup).ahead().admit(ahead(dedup, "a"), WaitBudget.none())
                        instanceof Admission.Duplicate;
        };

        assertThat(duplicate).isTrue();
        assertThat(completion.get()).isEqualTo(Completion.PENDING);
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingWrites() == 0);
        assertThat(events.all()).doesNotContain("dropped a");
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(effects).containsExactly("a");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName(
            "PROCESS: a claim that got no answer, and a first one with another payload that succeeded meanwhile: a conflict")
    void unansweredThenAnotherPayload(int unanswered) {
        Deduplicator dedup = deduplicator(policy ->
                policy.lease(LEASE).inFlightWait(Duration.ofSeconds(1)).onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        Execution first = begun(dedup, "a", ONE);
        AtomicInteger asked = new AtomicInteger();
        store.on(Op.CLAIM, (call, real) -> {
            if (asked.incrementAndGet() == unanswered) {
                effects.add("one");
                first.succeed(null, WaitBudget.none());
            }
            throw new DedupStoreException("no answer", null);
        });

        assertThat(dedup.execute(new DedupCall<>(key("a"), TWO, null), context -> effects.add("two")))
                .isInstanceOf(Rejected.class);

        assertThat(effects).containsExactly("one");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingWrites() == 0);
        assertThat(record("a").fingerprint()).isEqualTo(ONE);
    }

    @Test
    @DisplayName("PROCESS: a claim made ahead that got no answer, and another payload that was handled before its turn")
    void anotherPayloadBeforeTheTurn() {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        DedupAdapter engine = DedupAdapter.of(dedup);
        store.down();
        ClaimAhead second = requireNonNull(
                engine.ahead().claim(List.of(delivery(dedup, "a", TWO))).get(0));
        begun(dedup, "a", ONE).succeed(null, WaitBudget.none());

        assertThat(engine.ahead().admit(second, WaitBudget.none())).isInstanceOf(Admission.Reject.class);

        store.heal();
        await().until(() -> engine.pendingWrites() == 0);
        assertThat(record("a").fingerprint()).isEqualTo(ONE);
    }

    @Test
    @DisplayName(
            "PROCESS: a claim that got no answer, and a success that is recorded between the copy's answer and its use")
    void recordedBeforeItIsUsed() {
        Deduplicator dedup = deduplicator(policy ->
                policy.lease(LEASE).inFlightWait(Duration.ofSeconds(1)).onStoreFailure(OnStoreFailure.PROCESS));
        Execution elsewhere = begun(deduplicator(), "b");
        Execution first = begun(dedup, "a");
        store.on(Op.CLAIM, Faults.times(1, (call, real) -> {
            store.on(Op.COMPLETE, Faults.down());
            first.succeed(null, WaitBudget.none());
            store.on(Op.CLAIM, (again, same) -> { // for b alone: this process knows a
                assertThat(again.keys()).containsExactly(key("b"));
                store.heal();
                await().until(() -> events.count("completed a") == 1);
                elsewhere.succeed(null, WaitBudget.none());
                return same.apply(again.requests());
            });
            return Faults.forKeys(key("a")::equals).answer(call, real);
        }));

        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> effects.add("again")))
                .allMatch(Duplicate.class::isInstance);
        assertThat(effects).isEmpty();
    }

    @Test
    @DisplayName("what an operator forgets while its completion is on its way runs again")
    void forgottenWhileQueued() {
        Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
        Execution first = begun(dedup, "a");
        first.returned();
        dedup.forget(key("a"), LiveLease.OVERRIDE);
        assertThat(DedupAdapter.of(dedup).succeedAll(List.of(first), WaitBudget.none()))
                .containsExactly(Completion.LEASE_LOST);

        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("what an operator forgets while it runs runs again, also when the first one succeeds before")
    void forgottenWhileRunning() {
        Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
        Execution first = begun(dedup, "a");
        dedup.forget(key("a"), LiveLease.OVERRIDE);
        assertThat(first.succeed(null, WaitBudget.none())).isEqualTo(Completion.LEASE_LOST);

        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("S16 what an operator forgets is not recorded any more by what was to be told alone")
    void forgottenSuspect() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        CountDownLatch failed = new CountDownLatch(1);
        store.on(Op.CLAIM, Faults.down());
        store.on(Op.COMPLETE, (call, real) -> {
            failed.countDown();
            throw new DedupStoreException("too large, perhaps", null);
        });
        DedupCall<String> call = DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8());
        assertThat(dedup.execute(call, context -> "result")).isInstanceOf(Handled.class);
        store.on(Op.CLAIM, (any, real) -> real.apply(any.requests()));
        assertThat(failed.await(1, TimeUnit.MINUTES)).isTrue();

        dedup.forget(key("a"), LiveLease.OVERRIDE);
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        dedup.execute(key("b"), context -> effects.add("b"));
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(stateOf("b")).isEqualTo(State.DONE);

        assertThat(dedup.execute(call, context -> "again")).isInstanceOf(Handled.class);
    }

    private enum Command {
        FORGET {
            @Override
            void run(Deduplicator dedup) {
                dedup.forget(key("a"), LiveLease.RESPECT);
            }
        },
        ERASE {
            @Override
            void run(Deduplicator dedup) {
                dedup.erase("a", LiveLease.RESPECT);
            }
        };

        abstract void run(Deduplicator dedup);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("what an operator forgets while the background is about to claim it runs again")
    void forgottenBesideAPass(Command command) {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        dedup.execute(key("a"), context -> effects.add("a"));
        CountDownLatch claimed = new CountDownLatch(1);
        store.on(Op.CLAIM, Faults.times(1, (call, real) -> {
            store.heal();
            command.run(dedup);
            List<?> granted = real.apply(call.requests());
            claimed.countDown();
            return granted;
        }));

        await().until(() -> claimed.getCount() == 0 && stateOf("a") != State.PROCESSING);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a run that begins when the store has forgotten its message, before the command knows, is none of the command's")
    void begunBesideACommand(Command command) {
        AtomicReference<Execution> again = new AtomicReference<>();
        AtomicReference<Deduplicator> made = new AtomicReference<>();
        Deduplicator dedup = deduplicator(
                forgetting(() -> {}, () -> again.set(begun(made.get(), "a"))), policy -> policy.lease(LEASE));
        made.set(dedup);
        dedup.execute(key("a"), context -> effects.add("first"));
        command.run(dedup);
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        effects.add("second");
        assertThat(again.get().succeed(null, WaitBudget.none())).isEqualTo(Completion.PENDING);
        clock.advance(LEASE.plusSeconds(1));

        assertThat(dedup.execute(key("a"), context -> effects.add("third"))).isInstanceOf(Duplicate.class);

        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(effects).containsExactly("first", "second");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "a success that began beside a command, and that the store has forgotten before it was answered, has lost its claim")
    void succeededBesideACommand(Command command) {
        AtomicReference<Execution> beside = new AtomicReference<>();
        AtomicReference<Deduplicator> made = new AtomicReference<>();
        CountDownLatch recorded = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        store.on(Op.COMPLETE, Faults.times(1, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            recorded.countDown();
            awaitQuietly(go);
            return answers;
        }));
        AtomicReference<CompletableFuture<Completion>> completion = new AtomicReference<>();
        Deduplicator dedup = deduplicator(
                forgetting(
                        () -> {
                            Execution run = begun(made.get(), "a");
                            beside.set(run);
                            completion.set(CompletableFuture.supplyAsync(() -> run.succeed(null, WaitBudget.none())));
                            awaitQuietly(recorded);
                        },
                        () -> {}),
                policy -> policy.lease(LEASE));
        made.set(dedup);

        command.run(dedup);

        assertThat(DedupAdapter.of(dedup).isHandling(key("a")))
                .as("what a copy would wait for")
                .isFalse();
        assertThat(beside.get().leaseLost()).isTrue();
        assertThat(dedup.execute(key("a"), context -> effects.add("again"))).isInstanceOf(Handled.class);
        go.countDown();
        assertThat(completion.get().join()).isEqualTo(Completion.DONE);
    }

    /** A store in which something happens before it forgets, and after it. */
    private DedupStore forgetting(Runnable before, Runnable after) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            boolean forgets = Set.of("forget", "erase").contains(method.getName());
            if (forgets) {
                before.run();
            }
            Object result = method.invoke(store, arguments);
            if (forgets) {
                after.run();
            }
            return result;
        };
        return (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class, RecordEraser.class}, handler);
    }

    /** A store that stops in the middle of {@code forget}: its record is gone, and the caller doesn't know yet. */
    private DedupStore forgettingSlowly(CountDownLatch forgotten, CountDownLatch until) {
        return forgetting(() -> {}, () -> {
            forgotten.countDown();
            awaitQuietly(until);
        });
    }

    @Test
    @DisplayName("what is claimed in the background after the store has forgotten it isn't recorded either")
    void forgottenAroundAPass() {
        CountDownLatch forgotten = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        Deduplicator dedup = deduplicator(
                forgettingSlowly(forgotten, written), policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        dedup.execute(key("a"), context -> effects.add("a"));
        CompletableFuture<OperatorResult> command = new CompletableFuture<>();
        FaultyStore.Fault telling = (call, real) -> {
            List<?> answers = real.apply(call.requests());
            written.countDown();
            return answers;
        };
        store.on(Op.COMPLETE, telling).on(Op.RELEASE, telling);
        store.on(Op.CLAIM, Faults.times(1, (call, real) -> {
            command.completeAsync(() -> dedup.forget(key("a"), LiveLease.RESPECT));
            awaitQuietly(forgotten);
            return real.apply(call.requests());
        }));

        assertThat(command).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(OperatorResult.ABSENT);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName(
            "what was handled without a claim and is forgotten while it waits for a thread that records it runs again")
    void forgottenUnguarded() {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        Execution first = begun(dedup, "a");
        first.returned();
        store.heal();
        dedup.forget(key("a"), LiveLease.RESPECT);
        first.succeed(null, WaitBudget.none());
        await().until(() -> DedupAdapter.of(dedup).pendingWrites() == 0);

        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName(
            "what is forgotten elsewhere while its completion gets no answer runs again, although that success is refused then")
    void forgottenElsewhereThenRefused() {
        Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
        store.on(Op.COMPLETE, (call, real) -> {
            store.on(Op.COMPLETE, Faults.down());
            return Faults.lostAnswer().answer(call, real);
        });
        dedup.execute(key("a"), context -> effects.add("first"));
        assertThat(deduplicator().forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingWrites() == 0);
        assertThat(events.all()).contains("dropped a");

        assertThat(dedup.execute(key("a"), context -> effects.add("again")))
                .isEqualTo(new Handled<>(true, Completion.DONE));

        assertThat(effects).containsExactly("first", "again");
    }

    @Test
    @DisplayName(
            "K18 a batch that waits for a message loses the lease of another one, which is handled elsewhere: it isn't run again")
    void lostWhileTheBatchWaits() {
        Deduplicator elsewhere = deduplicator(policy -> policy.lease(LEASE));
        Deduplicator dedup = deduplicator(policy -> policy.lease(SHORT).inFlightWait(Duration.ofMinutes(1)));
        Execution other = begun(elsewhere, "b");
        store.on(Op.RENEW, Faults.down());
        long before = System.nanoTime();
        store.on(Op.CLAIM, (call, real) -> {
            if (call.keys().equals(List.of(key("b")))) { // again: the lease of a is over by now
                await().until(() -> System.nanoTime() - before > SHORT.toNanos());
                clock.advance(SHORT.plusSeconds(1));
                elsewhere.execute(key("a"), context -> effects.add("a elsewhere"));
                effects.add("b elsewhere");
                other.succeed(null, WaitBudget.none());
            }
            return real.apply(call.requests());
        });

        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> effects.add("here")))
                .allMatch(Duplicate.class::isInstance);
        assertThat(effects).containsExactly("a elsewhere", "b elsewhere");
    }

    /** One object, as the machine's own Errors may be, and another Error where its text is asked for. */
    private static final class TellsNothing extends OutOfMemoryError {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw this;
        }
    }

    @Test
    @DisplayName("K18 a batch that ends with an Error leaves no claim under the heartbeat, also when giving back fails")
    void batchFailsTwice() {
        Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
        Error error = new TellsNothing();
        Delivery bad = Delivery.of(dedup.topic(TOPIC), null, null, () -> {
            throw error;
        });
        store.on(Op.RELEASE, Faults.throwing(() -> error));
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> DedupAdapter.of(dedup)
                        .admitAll(
                                List.of(delivery(dedup, "a"), delivery(dedup, "b"), delivery(dedup, "c"), bad),
                                WaitBudget.none()));

        assertThat(store.calls(Op.RELEASE)).isNotEmpty();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }
}
