package io.dedup;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.report.DuplicationReports;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that dies is one whose executions are abandoned, and whose leases run out. */
class PoisonTest extends DeduplicatorTestBase {
    private static final int MAX_DEATHS = 3;
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final Deduplicator dedup = deduplicator(policy -> policy.maxDeaths(MAX_DEATHS));

    @Test
    void isRejectedAfterSoManyDeaths() {
        for (int i = 0; i < MAX_DEATHS; i++) {
            die("a");
        }

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "must not run");

        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.cause())
                                .isInstanceOf(PoisonMessageException.class)
                                .hasMessageContaining("3 earlier runs"));
        assertThat(events.all()).contains("poison a 3");
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
    }

    @Test
    void eachDeathIsReportedByWhoeverClaimsTheMessageNext() {
        DuplicationReports reports = new DuplicationReports();
        Deduplicator survivor = deduplicator(store, policy -> policy, builder -> builder.listener(reports));
        die("a");

        assertThat(survivor.execute(key("a"), context -> "")).isInstanceOf(Handled.class);
        assertThat(survivor.execute(key("a"), context -> "")).isInstanceOf(Duplicate.class);
        assertThat(survivor.execute(key("b"), context -> "")).isInstanceOf(Handled.class);

        assertThat(reports.report(1).topics()).singleElement().satisfies(topic -> {
            assertThat(topic.deaths()).isEqualTo(1);
            assertThat(topic.handled()).isEqualTo(2);
        });
        assertThat(reports.report(1).text()).contains(", 1 death;");
    }

    @Test
    @DisplayName("the verdict resets the count, so that a replay from the dead-letter topic runs")
    void replayRuns() {
        for (int i = 0; i < MAX_DEATHS; i++) {
            die("a");
        }
        dedup.execute(key("a"), context -> "must not run");

        assertThat(record("a").deaths()).isZero();
        assertThat(record("a").attempt()).isEqualTo(MAX_DEATHS);
        assertThat(dedup.execute(key("a"), DedupContext::attempt))
                .isEqualTo(new Handled<>(MAX_DEATHS + 1, Completion.DONE));
    }

    @Test
    void aVerdictThatCouldNotBeWrittenIsWrittenInTheBackground() {
        for (int i = 0; i < MAX_DEATHS; i++) {
            die("a");
        }
        store.on(Op.RELEASE, Faults.down());
        assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Rejected.class);
        store.heal();

        await().until(() -> stateOf("a") == State.RELEASED);
        assertThat(record("a").deaths()).isZero();
    }

    @Test
    void exceptionsAreNoDeaths() {
        for (int i = 0; i < 10; i++) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> dedup.execute(key("a"), context -> {
                        throw new IllegalStateException("no effect");
                    }));
        }
        assertThat(dedup.execute(key("a"), context -> "")).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("T11 an exception is no death, although the outage outlasts the lease of the run that threw it")
    void exceptionDuringAnOutage(boolean batch) {
        Deduplicator strict = strict();
        assertThatIllegalStateException()
                .isThrownBy(() -> strict.execute(key("a"), context -> {
                    store.down();
                    throw new IllegalStateException("no effect");
                }));
        outageOutlastsTheLease();

        handles(strict, batch);
        assertThat(record("a").attempt()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("T11 a claim whose answer was lost has no run that could die, although the outage outlasts its lease")
    void lostAnswerBeforeAnOutage(boolean batch) {
        Deduplicator strict = strict();
        store.on(Op.CLAIM, Faults.lostAnswer()).on(Op.RELEASE, Faults.down());
        assertThat(strict.execute(key("a"), context -> "must not run")).isInstanceOf(Deferred.class);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        store.down();
        outageOutlastsTheLease();

        handles(strict, batch);
        assertThat(record("a").attempt()).isOne();
    }

    @Test
    @DisplayName("a future that times out leaves its claim to expire, and counts, although nothing has crashed")
    void abandoned() {
        Deduplicator strict = deduplicator(policy -> policy.maxDeaths(1));
        CompletionStage<DedupOutcome<String>> outcome = strict.executeAsync(
                DedupCall.of(key("a")), context -> CompletableFuture.failedStage(new TimeoutException()));
        assertThat(outcome).failsWithin(Duration.ofSeconds(30));
        clock.advance(LEASE);

        assertThat(strict.execute(key("a"), context -> "must not run")).isInstanceOf(Rejected.class);
    }

    private Deduplicator strict() {
        return deduplicator(policy -> policy.maxDeaths(1).lease(Duration.ofMillis(100)));
    }

    /** On both clocks. */
    private void outageOutlastsTheLease() {
        long from = System.nanoTime();
        await().until(() -> System.nanoTime() - from > Duration.ofSeconds(1).toNanos());
        clock.advance(LEASE);
    }

    /** The store answers again, and the next copy of the message is faster than the background. */
    private void handles(Deduplicator strict, boolean batch) {
        Thread consumer = Thread.currentThread();
        store.heal();
        store.on(
                Op.RELEASE,
                (call, real) -> Thread.currentThread() == consumer
                        ? real.apply(call.requests())
                        : Faults.down().answer(call, real));
        if (batch) {
            assertThat(strict.executeAll(
                            List.of("b", "a"),
                            DeduplicatorTestBase::key,
                            items -> assertThat(items).hasSize(2)))
                    .allMatch(Handled.class::isInstance);
        } else {
            assertThat(strict.execute(key("a"), context -> "")).isInstanceOf(Handled.class);
        }
        assertThat(events.all()).noneMatch(event -> event.startsWith("poison") || event.startsWith("takeover"));
        assertThat(DedupAdapter.of(strict).pendingWrites()).isZero();
    }

    @Test
    @DisplayName("a store that doesn't answer how a run ended isn't asked for another claim of the message")
    void releasedBeforeItIsClaimed() {
        store.on(Op.RELEASE, Faults.down());
        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no effect");
                }));

        assertThat(dedup.execute(key("a"), context -> "must not run"))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.STORE_UNAVAILABLE));
        assertThat(dedup.executeAll(
                        List.of("a", "b"),
                        DeduplicatorTestBase::key,
                        items -> assertThat(items).hasSize(1)))
                .extracting(outcome -> outcome.getClass().getSimpleName())
                .containsExactly("Deferred", "Handled");
        assertThat(store.calls(Op.CLAIM))
                .filteredOn(call -> call.keys().contains(key("a")))
                .hasSize(1);
        store.heal();
        assertThat(dedup.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(2, Completion.DONE));
    }

    @Test
    void aSuccessForgivesDeaths() {
        die("a");
        die("a");
        dedup.execute(key("a"), context -> "");
        clock.advance(Duration.ofDays(8)); // longer than the window
        die("a");
        assertThat(dedup.execute(key("a"), context -> "")).isInstanceOf(Handled.class);
    }

    @Test
    void withoutALimitNothingIsPoison() {
        Deduplicator unlimited = deduplicator();
        for (int i = 0; i < 20; i++) {
            die("a");
        }
        assertThat(unlimited.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(21, Completion.DONE));
    }

    @Test
    @DisplayName("in batches only the message that kills is charged: neighbours run, the killer is convicted")
    void isolation() {
        List<String> batch = List.of("a", "b", "killer", "c", "d");
        Map<String, Integer> effects = new LinkedHashMap<>();
        List<String> convicted = new ArrayList<>();
        int lives = 0;

        while (!consume(batch, effects, convicted)) {
            assertThat(++lives).isLessThan(20);
            clock.advance(Duration.ofMinutes(1));
        }

        assertThat(convicted).containsExactly("killer");
        assertThat(effects).isEqualTo(Map.of("a", 1, "b", 1, "c", 1, "d", 1));
        assertThat(lives).isEqualTo(1 + MAX_DEATHS); // the death of the batch convicts nobody: it isolates
        assertThat(events.all()).filteredOn(event -> event.startsWith("poison")).containsExactly("poison killer 3");
    }

    @ParameterizedTest
    @EnumSource(Together.class)
    @DisplayName("T11 a process that dies once with many claims convicts none of them, however few deaths are allowed")
    void diesWithMany(Together form) {
        Deduplicator strict = deduplicator(policy -> policy.maxDeaths(1));
        List<Delivery> deliveries =
                IntStream.range(0, 50).mapToObj(i -> delivery(strict, "o-" + i)).toList();
        form.claim(strict, deliveries).forEach(Execution::abandon);
        clock.advance(Duration.ofMinutes(1));
        // The next process takes them over, and dies before it gives them back.
        store.claim(deliveries.stream()
                .map(each -> new ClaimRequest(requireNonNull(each.key()), new Owner("killed"), LEASE))
                .toList());
        clock.advance(LEASE);
        assertThat(form.claim(strict, deliveries)).as("isolated").isEmpty();

        for (Delivery each : deliveries) {
            Admission admission = DedupAdapter.of(strict).admit(each, WaitBudget.none());
            assertThat(admission).isInstanceOf(Admission.Run.class);
            Execution run = ((Admission.Run) admission).execution();
            assertThat(run.attempt()).isEqualTo(3); // it may have begun twice; the third claims were given back
            run.begin();
            assertThat(run.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
        }
        assertThat(events.all()).noneMatch(event -> event.startsWith("poison"));
    }

    /** How messages are claimed that don't run alone. */
    private enum Together {
        BATCH {
            @Override
            List<Execution> claim(Deduplicator dedup, List<Delivery> deliveries) {
                BatchAdmission batch = DedupAdapter.of(dedup).admitAll(deliveries, WaitBudget.none());
                return batch.admissions().stream()
                        .map(admission -> ((Admission.Run) admission).execution())
                        .toList();
            }
        },
        AHEAD {
            @Override
            List<Execution> claim(Deduplicator dedup, List<Delivery> deliveries) {
                return DedupAdapter.of(dedup).ahead().claim(deliveries).stream()
                        .filter(Objects::nonNull)
                        .map(claim -> DedupAdapter.of(dedup).ahead().admit(claim, WaitBudget.none()))
                        .map(admission -> ((Admission.Run) admission).execution())
                        .toList();
            }
        };

        abstract List<Execution> claim(Deduplicator dedup, List<Delivery> deliveries);
    }

    @Test
    @DisplayName(
            "a message that has crashed its process never runs with others again, also after a run that only failed")
    void isolatedUntilDone() {
        die("a");
        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no effect");
                }));
        assertThat(record("a").state()).isEqualTo(State.RELEASED);

        BatchAdmission batch =
                DedupAdapter.of(dedup).admitAll(List.of(delivery("a"), delivery("b")), WaitBudget.none());

        assertThat(batch.isolate()).isTrue();
        assertThat(record("a").deaths()).isOne();
    }

    @Test
    @DisplayName("a takeover that was given back is still one for the next batch, whether or not it counted")
    void isolatesAgain() {
        List<Delivery> both = List.of(delivery("a"), delivery("b"));
        Together.BATCH.claim(dedup, both).forEach(Execution::abandon);
        clock.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 3; i++) {
            assertThat(DedupAdapter.of(dedup).admitAll(both, WaitBudget.none()).isolate())
                    .isTrue();
        }
        ((Admission.Run) DedupAdapter.of(dedup).admit(delivery("a"), WaitBudget.none()))
                .execution()
                .giveBack();

        assertThat(DedupAdapter.of(dedup).admitAll(both, WaitBudget.none()).isolate())
                .isTrue();
        assertThat(record("a").deaths()).isZero();
        assertThat(record("a").attempt()).isOne(); // it may have begun
    }

    @Test
    @DisplayName("a claim of an isolated batch whose answer was lost isn't left to die")
    void isolationGivesBackWhatGotNoAnswer() {
        die("a");
        store.on(Op.CLAIM, Faults.times(1, (call, real) -> {
            List<Object> answers = new ArrayList<>(real.apply(call.requests()));
            List<?> none = Faults.forKeys(key -> true).answer(call, requests -> List.of());
            answers.set(1, none.get(1));
            return answers;
        }));

        BatchAdmission batch = DedupAdapter.of(dedup)
                .admitAll(List.of(delivery("a"), delivery("b")), WaitBudget.of(Duration.ofSeconds(2)));

        assertThat(batch.isolate()).isTrue();
        assertThat(batch.admissions()).isEmpty();
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        await().until(() -> stateOf("b") == State.RELEASED);
        assertThat(record("b").attempt()).isZero();
        assertThat(stateOf("a")).isEqualTo(State.ABANDONED);
    }

    @Test
    void aDeathFoundWhileWaitingIsolatesToo() {
        Deduplicator patient =
                deduplicator(policy -> policy.maxDeaths(MAX_DEATHS).inFlightWait(Duration.ofMinutes(1)));
        run("a"); // in flight, by a process that is about to die
        store.on(Op.CLAIM, (call, real) -> {
            if (store.calls(Op.CLAIM).size() > 2) {
                clock.advance(Duration.ofMinutes(1));
            }
            return real.apply(call.requests());
        });

        BatchAdmission batch = DedupAdapter.of(patient)
                .admitAll(
                        List.of(delivery(patient, "a"), delivery(patient, "b")), WaitBudget.of(Duration.ofMinutes(1)));

        assertThat(batch.isolate()).isTrue();
        assertThat(DedupAdapter.of(patient).inFlight()).isZero();
    }

    @Test
    void executeAllRunsAnIsolatedBatchOneByOne() {
        die("b");
        List<List<String>> calls = new ArrayList<>();

        List<?> outcomes = dedup.executeAll(
                List.of("a", "b", "c", "b"),
                DeduplicatorTestBase::key,
                items -> calls.add(items.stream().map(item -> item.value()).toList()));

        assertThat(calls).containsExactly(List.of("a"), List.of("b"), List.of("c"));
        assertThat(outcomes)
                .extracting(outcome -> outcome.getClass().getSimpleName())
                .containsExactly("Handled", "Handled", "Handled", "Duplicate");
    }

    /** One life of a consumer; true when it reaches the end of the batch. */
    private boolean consume(List<String> ids, Map<String, Integer> effects, List<String> convicted) {
        BatchAdmission batch =
                DedupAdapter.of(dedup).admitAll(ids.stream().map(this::delivery).toList(), WaitBudget.none());
        if (!batch.isolate()) {
            return runAll(batch.admissions(), ids, effects, convicted);
        }
        for (String id : ids) {
            Admission admission = DedupAdapter.of(dedup).admit(delivery(id), WaitBudget.none());
            if (!runAll(List.of(admission), List.of(id), effects, convicted)) {
                return false;
            }
        }
        return true;
    }

    private static boolean runAll(
            List<Admission> admissions, List<String> ids, Map<String, Integer> effects, List<String> convicted) {
        List<Execution> executions = new ArrayList<>();
        for (Admission admission : admissions) {
            if (admission instanceof Admission.Run run) {
                run.execution().begin();
                executions.add(run.execution());
            }
        }
        for (int i = 0; i < ids.size(); i++) {
            if (admissions.get(i) instanceof Admission.Reject) {
                convicted.add(ids.get(i));
            }
            if (!(admissions.get(i) instanceof Admission.Run)) {
                continue;
            }
            if (ids.get(i).equals("killer")) {
                executions.forEach(Execution::abandon); // the process is gone, with all its claims
                return false;
            }
        }
        // Only a whole batch has its effects: they are rolled back with a process that dies in the middle.
        for (int i = 0; i < ids.size(); i++) {
            if (admissions.get(i) instanceof Admission.Run run) {
                effects.merge(ids.get(i), 1, Integer::sum);
                assertThat(run.execution().succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
            }
        }
        return true;
    }

    private void die(String id) {
        run(id).abandon();
        clock.advance(Duration.ofMinutes(1));
    }

    private Execution run(String id) {
        Deduplicator mortal = deduplicator();
        Admission admission = DedupAdapter.of(mortal).admit(delivery(mortal, id), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private Delivery delivery(String id) {
        return delivery(dedup, id);
    }

    private static Delivery delivery(Deduplicator consumer, String id) {
        return Delivery.of(consumer.topic(TOPIC), id, null, () -> "orders-0@17");
    }
}
