package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.StoreError;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.RecordInUseException;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoreDownTest extends DeduplicatorTestBase {
    private Deduplicator processing() {
        return deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
    }

    @ParameterizedTest
    @EnumSource(names = {"RETRY", "PAUSE"})
    void isDeferredAndNotRun(OnStoreFailure onStoreFailure) {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(onStoreFailure));
        store.down();

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            throw new AssertionError("run");
        });

        assertThat(outcome.mayAck()).isFalse();
        assertThat(outcome).isInstanceOfSatisfying(Deferred.class, deferred -> {
            assertThat(deferred.reason()).isEqualTo(DeferReason.STORE_UNAVAILABLE);
            assertThat(deferred.retryAfter()).isEqualTo(Duration.ofSeconds(1));
            assertThat(deferred.cause()).isInstanceOf(DedupStoreException.class);
        });
        Admission admission = DedupAdapter.of(dedup)
                .admit(Delivery.of(dedup.topic(TOPIC), "a", null, () -> "orders-0@1"), WaitBudget.none());
        assertThat(((Admission.Defer) admission).pause()).isEqualTo(onStoreFailure == OnStoreFailure.PAUSE);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a record that others use is no store that is down: its message is in flight, whatever the policy")
    void inUse(OnStoreFailure onStoreFailure) {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(onStoreFailure));
        RecordInUseException locked = new RecordInUseException("locked", null);
        store.on(Op.CLAIM, (call, real) -> Collections.nCopies(call.requests().size(), new StoreError(locked)));

        for (int i = 0; i < 5; i++) {
            assertThat(dedup.execute(key("a"), context -> "must not run"))
                    .isInstanceOfSatisfying(Deferred.class, deferred -> {
                        assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT);
                        assertThat(deferred.cause()).isSameAs(locked);
                    });
        }
    }

    @Test
    @DisplayName("T4 whatever a claim throws, it isn't a claim")
    void errorsOfTheStoreAreDeferred() {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, Faults.throwing(() -> new NoClassDefFoundError("a wrong class path")));

        assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Deferred.class);
        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
                    throw new AssertionError("run");
                }))
                .hasSize(2)
                .allMatch(Deferred.class::isInstance);
    }

    @Test
    @DisplayName("T4 no answer isn't a claim, nor a conflict")
    void noAnswer() {
        Deduplicator dedup = deduplicator(policy -> policy.onConflict(OnConflict.SKIP));
        store.on(
                Op.CLAIM,
                (call, real) -> call.requests().stream().map(each -> null).toList());

        assertThat(dedup.execute(key("a"), context -> "must not run").mayAck()).isFalse();
        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {}))
                .noneMatch(DedupOutcome::mayAck);
    }

    @Test
    @DisplayName("T4 answers that aren't as many as the requests are nobody's")
    void wrongNumberOfAnswers() {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, (call, real) -> real.apply(call.requests().subList(1, 2)));

        assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {}))
                .hasSize(2)
                .noneMatch(DedupOutcome::mayAck);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("D4 a claim whose answer was lost is given back in the background")
    void lostClaimIsGivenBack(boolean batch) {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, Faults.lostAnswer());

        if (batch) {
            assertThat(dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {}))
                    .allMatch(Deferred.class::isInstance);
        } else {
            assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Deferred.class);
        }

        await().until(() -> stateOf("a") == State.RELEASED);
        store.heal();
        assertThat(dedup.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(1, Completion.DONE));
    }

    @Test
    @DisplayName("giving a claim back by its owner never touches its successor's")
    void givingBackIsByOwner() {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, Faults.down()).on(Op.RELEASE, Faults.down());
        dedup.execute(key("a"), context -> "must not run");
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);
        List<Object> answers = new CopyOnWriteArrayList<>();
        store.on(Op.RELEASE, (call, real) -> {
            List<?> answer = real.apply(call.requests());
            answers.addAll(answer);
            return answer;
        });

        await().until(() -> answers.contains(WriteResult.leaseLost()));
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
    }

    @Test
    void processRunsUnguardedAndIsRecordedAfterwards() {
        Deduplicator dedup = processing();
        store.down();

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            assertThat(context.guarded()).isFalse();
            assertThat(context.attempt()).isZero();
            assertThat(context.fencingToken()).isZero();
            assertThat(context.leaseLost()).isFalse();
            assertThat(context.leaseRemaining()).isZero();
            assertThat(context.key()).isEqualTo(key("a"));
            return "effect";
        });

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.UNGUARDED));
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(1);
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(dedup.execute(key("a"), context -> "again")).isInstanceOf(Duplicate.class);
        assertThat(events.all())
                .contains("unguarded a", "pending a", "completed a")
                .doesNotContain("dropped a");
    }

    @Test
    @DisplayName("PROCESS: a claim whose answer was lost becomes the DONE")
    void processWithALostAnswer() {
        Deduplicator dedup = processing();
        store.on(Op.CLAIM, Faults.lostAnswer());
        dedup.execute(key("a"), context -> "effect");
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(record("a").attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("PROCESS: the DONE that is written later doesn't end a live lease")
    void processDoesNotStealALease() {
        Deduplicator dedup = processing();
        store.down();
        dedup.execute(key("a"), context -> "effect");
        Owner elsewhere = new Owner("elsewhere");
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), elsewhere, Duration.ofMinutes(1))))
                .get(0);
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("a").owner()).isEqualTo(elsewhere);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
    }

    @Test
    @DisplayName("PROCESS: the DONE that is written later leaves an earlier DONE and its result alone")
    void processDoesNotOverwriteDone() {
        Deduplicator dedup = processing();
        store.down();
        dedup.execute(key("a"), context -> "effect");
        Owner elsewhere = new Owner("elsewhere");
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), elsewhere, Duration.ofMinutes(1))))
                .get(0);
        byte[] result = "kept".getBytes(StandardCharsets.UTF_8);
        store.intact()
                .complete(List.of(new CompleteRequest(
                        new Claim(key("a"), elsewhere, 1), Window.of(Duration.ofHours(1)), result, false)))
                .get(0);
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("a").result()).isEqualTo(result);
        assertThat(record("a").expiresAt()).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    }

    @Test
    @DisplayName("PROCESS: an unguarded run's late DONE doesn't replace the late DONE of a guarded one")
    void guardedAndUnguardedForOneKey() {
        Deduplicator dedup = processing();
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(key("a"), context -> "guarded");
        store.down();
        dedup.execute(key("a"), context -> "unguarded");
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    void processGivesBackWhatFailed() {
        Deduplicator dedup = processing();
        store.on(Op.CLAIM, Faults.lostAnswer());

        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no effect");
                }));

        await().until(() -> stateOf("a") == State.RELEASED);
        store.heal();
        assertThat(dedup.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(2, Completion.DONE));
    }

    @Test
    void processRunsABatchWithoutItsCopies() {
        Deduplicator dedup = processing();
        store.down();
        List<String> ran = new ArrayList<>();

        assertThat(dedup.executeAll(
                        Arrays.asList("a", "b", "a"),
                        DeduplicatorTestBase::key,
                        items -> items.forEach(item -> ran.add(item.value()))))
                .extracting(outcome -> outcome.getClass().getSimpleName())
                .containsExactly("Handled", "Handled", "Duplicate");

        assertThat(ran).containsExactly("a", "b");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(stateOf("b")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("T6 a claim that fails because its thread was interrupted is no reason to run unguarded")
    void interruptedClaim() {
        Deduplicator dedup = processing();
        store.on(Op.CLAIM, (call, real) -> {
            Thread.currentThread().interrupt(); // by somebody, in the middle of the call
            throw new DedupStoreException("interrupted", null);
        });

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "must not run");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome).isInstanceOf(Deferred.class);
    }

    @Test
    void releasesInTheBackgroundEndWithTheLease() {
        // Long enough for the second one's release to be told on a busy machine, and over long before that.
        Deduplicator dedup = deduplicator(policy -> policy.lease(Duration.ofMillis(300)));
        store.down();
        dedup.execute(key("a"), context -> "must not run");

        // What is pointless is forgotten: the next one is told at once, and alone. By then no back-off is left, either.
        await().until(() -> Duration.ofNanos(
                                System.nanoTime() - store.calls(Op.CLAIM).get(0).at())
                        .compareTo(Duration.ofSeconds(2))
                > 0);
        int before = store.calls(Op.RELEASE).size();
        dedup.execute(key("b"), context -> "must not run");
        await().until(() -> store.calls(Op.RELEASE).size() > before);
        assertThat(store.calls(Op.RELEASE).get(before).keys()).containsExactly(key("b"));
    }
}
