package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class AheadClaimerTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
    private final DedupAdapter engine = DedupAdapter.of(dedup);

    private static AdmittedRun executionOf(@Nullable ClaimAhead claim) {
        return requireNonNull(((AnsweredClaim) requireNonNull(claim)).execution());
    }

    private List<@Nullable ClaimAhead> claim(String... ids) {
        return engine.ahead().claim(Stream.of(ids).map(this::delivery).toList());
    }

    private Delivery delivery(@Nullable String id) {
        return Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@17");
    }

    private Admission admit(@Nullable ClaimAhead claim) {
        return engine.ahead().admit(requireNonNull(claim), WaitBudget.none());
    }

    private void run(Admission admission) {
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        assertThat(execution.succeed(null, WaitBudget.none())).isEqualTo(Completion.DONE);
    }

    @Test
    @DisplayName("one call for all; at its turn each runs, or is a duplicate, without another; events come at the turn")
    void turns() {
        dedup.execute(key("done"), context -> "x");
        int calls = store.calls().size();
        List<String> before = events.all();

        List<@Nullable ClaimAhead> claims = claim("a", "done", "b");

        assertThat(events.all()).isEqualTo(before);
        assertThat(engine.inFlight()).isEqualTo(2);
        run(admit(claims.get(0)));
        assertThat(admit(claims.get(1))).isInstanceOf(Admission.Duplicate.class);
        run(admit(claims.get(2)));
        assertThat(store.calls(Op.CLAIM)).hasSize(2);
        assertThat(store.calls()).hasSize(calls + 1 + 2);
        assertThat(events.all().subList(before.size(), events.all().size()))
                .containsSubsequence("acquired a 1", "completed a", "duplicate done", "acquired b 1", "completed b");
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @DisplayName("copies, what has no ID and what is in flight elsewhere wait for their turn")
    void notAhead() {
        Deduplicator other = deduplicator();
        Admission elsewhere =
                DedupAdapter.of(other).admit(Delivery.of(other.topic(TOPIC), "b", null, () -> "x"), WaitBudget.none());
        assertThat(elsewhere).isInstanceOf(Admission.Run.class);

        List<@Nullable ClaimAhead> claims =
                engine.ahead().claim(List.of(delivery("a"), delivery("a"), delivery(""), delivery("b")));

        assertThat(claims.get(0)).isNotNull();
        assertThat(claims.subList(1, 4)).containsOnlyNulls();
        assertThat(events.all()).noneMatch(event -> event.startsWith("deferred") || event.startsWith("missing"));
    }

    @Test
    @DisplayName("given back with one call: nobody's attempt counts, others may run at once")
    void givenBack() {
        List<ClaimAhead> claims = new ArrayList<>();
        claim("a", "b", "c").forEach(claims::add);
        run(admit(claims.remove(1)));

        engine.ahead().giveBack(claims);

        assertThat(store.calls(Op.RELEASE)).hasSize(1);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.DONE);
        assertThat(deduplicator().execute(key("a"), DedupContext::attempt))
                .isEqualTo(new io.dedup.DedupOutcome.Handled<>(1, Completion.DONE));
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @DisplayName("T1 a claim whose lease was lost while it waited doesn't run: it is claimed again")
    void leaseLostWhileWaiting() {
        List<@Nullable ClaimAhead> claims = claim("a");
        clock.advance(LEASE.plusSeconds(1));
        Deduplicator other = deduplicator();
        assertThat(other.execute(key("a"), DedupContext::attempt)).isNotNull();
        executionOf(claims.get(0)).markLost(); // as the heartbeat finds out

        assertThat(admit(claims.get(0))).isInstanceOf(Admission.Duplicate.class);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("D4 a lost answer: the claim that was made is recognized at the turn, by its owner")
    void lostAnswer() {
        store.on(Op.CLAIM, Faults.times(1, Faults.lostAnswer()));

        List<@Nullable ClaimAhead> claims = claim("a", "b");

        assertThat(claims).allMatch(claim -> claim != null && claim.isUnanswered());
        run(admit(claims.get(0)));
        assertThat(record("a").attempt()).isEqualTo(1);
        List<ClaimAhead> rest = new ArrayList<>();
        rest.add(claims.get(1));
        engine.ahead().giveBack(rest);
        await().until(() -> stateOf("b") == State.RELEASED);
    }

    @Test
    @DisplayName("store down: nothing is decided before the turn, and then as without")
    void down() {
        store.down();
        List<@Nullable ClaimAhead> claims = claim("a");
        assertThat(admit(claims.get(0)))
                .isInstanceOfSatisfying(
                        Admission.Defer.class,
                        defer -> assertThat(defer.reason()).isEqualTo(DeferReason.STORE_UNAVAILABLE));
        store.heal();
        await().until(() -> store.find(key("a"))
                .map(found -> found.state() == State.RELEASED)
                .orElse(true));
        run(engine.admit(delivery("a"), WaitBudget.none()));
    }

    @Test
    @DisplayName("store down: the unanswered claims of one call share one answer")
    void sharedFailure() {
        store.down();
        List<@Nullable ClaimAhead> claims = claim("a", "b", "c", "d");

        claims.forEach(claim -> assertThat(reasonOf(admit(claim))).isEqualTo(DeferReason.STORE_UNAVAILABLE));

        assertThat(store.calls(Op.CLAIM)).as("for all, and once again").hasSize(2);
    }

    @Test
    @DisplayName(
            "store down while claims wait for their turns, so that their leases are lost: these share one answer, too")
    void sharedFailureOfLostClaims() {
        List<@Nullable ClaimAhead> claims = claim("a", "b", "c", "d");
        claims.forEach(claim -> executionOf(claim).markLost()); // as the heartbeat finds out
        store.down();

        claims.forEach(claim -> assertThat(reasonOf(admit(claim))).isEqualTo(DeferReason.STORE_UNAVAILABLE));

        assertThat(store.calls(Op.CLAIM)).as("for all, and once again").hasSize(2);
        assertThat(engine.inFlight()).isZero();
        store.heal();
        await().until(() -> Stream.of("a", "b", "c", "d").allMatch(id -> stateOf(id) == State.RELEASED));
    }

    @Test
    @DisplayName(
            "a store that answers again is asked for each; policy PROCESS always asks, since it would run unguarded")
    void notShared() {
        store.on(Op.CLAIM, Faults.times(1, Faults.lostAnswer()));
        claim("a", "b").forEach(claim -> run(admit(claim)));

        Deduplicator unguarded = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.on(Op.CLAIM, Faults.times(2, Faults.down()));
        List<@Nullable ClaimAhead> claims = DedupAdapter.of(unguarded)
                .ahead()
                .claim(List.of(
                        Delivery.of(unguarded.topic(TOPIC), "c", null, () -> "x"),
                        Delivery.of(unguarded.topic(TOPIC), "d", null, () -> "x")));
        assertThat(guarded(unguarded, claims.get(0))).isFalse();
        assertThat(guarded(unguarded, claims.get(1))).isTrue();
    }

    private static boolean guarded(Deduplicator by, @Nullable ClaimAhead claim) {
        Admission admission = DedupAdapter.of(by).ahead().admit(requireNonNull(claim), WaitBudget.none());
        return ((AdmittedRun) ((Admission.Run) admission).execution()).guarded();
    }

    private static DeferReason reasonOf(Admission admission) {
        return ((Admission.Defer) admission).reason();
    }

    @Test
    @DisplayName("after a death all are given back, so that neighbours aren't charged")
    void isolation() {
        Deduplicator careful = deduplicator(policy -> policy.maxDeaths(3));
        List<Delivery> deliveries = Stream.of("a", "killer", "b")
                .map(id -> Delivery.of(careful.topic(TOPIC), id, null, () -> "orders-0@17"))
                .toList();
        Deduplicator mortal = deduplicator(policy -> policy.maxDeaths(3));
        DedupAdapter.of(mortal)
                .ahead()
                .claim(deliveries)
                .forEach(claim -> executionOf(claim).abandon());
        clock.advance(Duration.ofMinutes(1));

        assertThat(DedupAdapter.of(careful).ahead().claim(deliveries)).containsOnlyNulls();

        assertThat(DedupAdapter.of(careful).inFlight()).isZero();
        for (String id : List.of("a", "killer", "b")) {
            assertThat(stateOf(id)).isEqualTo(State.ABANDONED);
            assertThat(record(id).deaths()).isZero();
        }
    }

    @Test
    @DisplayName("K18 an Error after claims were registered, before anybody knows of them: all are given back")
    void errorOnTheWay() {
        Deduplicator careful = deduplicator(policy -> policy.lease(LEASE).maxDeaths(3));
        List<Delivery> deliveries = Stream.of("killer", "b")
                .map(id -> Delivery.of(careful.topic(TOPIC), id, null, () -> "orders-0@17"))
                .toList();
        executionOf(DedupAdapter.of(careful)
                        .ahead()
                        .claim(deliveries.subList(0, 1))
                        .get(0))
                .abandon();
        clock.advance(Duration.ofMinutes(1));
        int asked = store.calls(Op.CLAIM).size();
        List<Delivery> noMemory = new AbstractList<>() {
            @Override
            public Delivery get(int index) {
                return deliveries.get(index);
            }

            @Override
            public int size() {
                if (store.calls(Op.CLAIM).size() > asked) {
                    throw new OutOfMemoryError("as if");
                }
                return deliveries.size();
            }
        };

        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> DedupAdapter.of(careful).ahead().claim(noMemory));

        assertThat(DedupAdapter.of(careful).inFlight()).isZero();
        await().until(() -> stateOf("b") == State.RELEASED);
        assertThat(record("b").attempt()).isZero();
    }

    @Test
    @DisplayName("K18 an Error while the store's answers are read: what it may have granted is given back")
    void errorInTheAnswers() {
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            AtomicInteger reads = new AtomicInteger();
            return new AbstractList<Object>() {
                @Override
                public Object get(int index) {
                    if (reads.getAndIncrement() > answers.size()) {
                        throw new OutOfMemoryError("as if");
                    }
                    return answers.get(index);
                }

                @Override
                public int size() {
                    return answers.size();
                }
            };
        });

        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> claim("a", "b"));

        assertThat(engine.inFlight()).isZero();
        await().until(() -> stateOf("a") == State.RELEASED && stateOf("b") == State.RELEASED);
    }

    @Test
    @DisplayName("K18 what was given back doesn't run: it is claimed again")
    void givenBackBefore() {
        ClaimAhead claim = requireNonNull(claim("a").get(0));
        engine.ahead().giveBack(List.of(claim));
        Admission admission = admit(claim);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        run(admission);
    }

    @Test
    @DisplayName("K15 a closed engine claims nothing, and doesn't start what it has claimed")
    void closed() {
        List<@Nullable ClaimAhead> claims = claim("a");
        dedup.close();
        assertThat(admit(claims.get(0)))
                .isInstanceOfSatisfying(
                        Admission.Defer.class,
                        defer -> assertThat(defer.reason()).isEqualTo(DeferReason.CLOSED));
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(claim("b")).containsOnlyNulls();
        assertThat(store.find(key("b"))).isEmpty();
    }

    @Test
    @DisplayName("a claim that was lost while it waited, and is made again while close() begins, is given back")
    void claimedAgainTooLate() {
        List<@Nullable ClaimAhead> claims = claim("a");
        clock.advance(LEASE.plusSeconds(1));
        executionOf(claims.get(0)).markLost(); // as the heartbeat finds out
        store.on(Op.CLAIM, closing());

        assertTooLate(claims.get(0));
    }

    @Test
    @DisplayName("a claim whose answer was lost, and is asked for again while close() begins, is given back")
    void askedAgainTooLate() {
        store.on(Op.CLAIM, Faults.times(1, Faults.lostAnswer()));
        List<@Nullable ClaimAhead> claims = claim("a");
        store.on(Op.CLAIM, closing());

        assertTooLate(claims.get(0));
    }

    private FaultyStore.Fault closing() {
        return (call, real) -> {
            List<?> answer = real.apply(call.requests());
            dedup.close(); // waits for nothing, because the claim hasn't joined the heartbeat
            return answer;
        };
    }

    private void assertTooLate(@Nullable ClaimAhead claim) {
        assertThat(admit(claim))
                .isInstanceOfSatisfying(
                        Admission.Defer.class,
                        defer -> assertThat(defer.reason()).isEqualTo(DeferReason.CLOSED));
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isZero();
        assertThat(engine.inFlight()).isZero();
    }

    @Test
    @DisplayName("the heartbeat keeps what waits")
    void heartbeat() {
        Deduplicator quick = deduplicator(policy -> policy.lease(Duration.ofMillis(300)));
        List<@Nullable ClaimAhead> claims =
                DedupAdapter.of(quick).ahead().claim(List.of(Delivery.of(quick.topic(TOPIC), "a", null, () -> "x")));
        await().until(() -> store.calls(Op.RENEW).size() >= 3);
        assertThat(DedupAdapter.of(quick).ahead().admit(requireNonNull(claims.get(0)), WaitBudget.none()))
                .isInstanceOf(Admission.Run.class);
    }

    @Test
    @DisplayName("a handler's time ends with its return, not with the completion")
    void handlerTime() {
        AdmittedRun execution = (AdmittedRun) ((Admission.Run) admit(claim("a").get(0))).execution();
        execution.begin();
        execution.returned();
        long first = execution.handlerNanos();
        assertThat(execution.handlerNanos()).isEqualTo(first);
    }
}
