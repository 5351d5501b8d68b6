package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store in front, a record that decides. */
class TieredTest extends DeduplicatorTestBase {
    private final MemoryTransactions records = new MemoryTransactions(null);
    private final Deduplicator dedup = tiered(policy -> policy);

    private String run(DedupContext context) {
        records.effect(context.key().messageId());
        return "ok";
    }

    @Test
    void aDuplicateCostsTheDatabaseNothing() {
        dedup.execute(key("a"), this::run);
        int before = records.calls().size();

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);

        assertThat(records.calls()).hasSize(before);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("D2 a front that has forgotten is repaired from the record, once")
    void theFrontForgets() {
        dedup.execute(key("a"), this::run);
        store.intact().forget(key("a"), LiveLease.OVERRIDE);

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        int before = records.calls().size();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);

        assertThat(records.calls()).hasSize(before);
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    void aCopyInFlightAsksTheFrontOnly() {
        store.intact()
                .claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Deferred.class);

        assertThat(records.calls()).isEmpty();
    }

    @Test
    void theDatabaseAloneDoesWhileTheFrontIsDown() {
        store.down();

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);

        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    @DisplayName("a front that failed a moment ago isn't asked: each question would cost its timeout")
    void theFrontIsNotAskedAgainAtOnce() {
        store.down();
        for (int i = 0; i < 50; i++) {
            dedup.execute(key("a" + i), this::run);
        }

        assertThat(store.calls(Op.CLAIM)).hasSizeLessThan(10);
        assertThat(records.effects()).hasSize(50);
        store.heal();
        await().until(() -> {
            dedup.execute(key("probe"), context -> "ok");
            return store.find(key("probe")).isPresent();
        });
    }

    @Test
    void theFrontFailsAtTheEnd() {
        store.on(Op.COMPLETE, Faults.down());

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);

        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(records.effects()).containsExactly("a");
        assertThat(events.count("completed a")).as("by its commit").isEqualTo(1);
        assertThat(events.all()).noneMatch(event -> event.startsWith("pending") || event.startsWith("dropped"));
    }

    @Test
    @DisplayName("T1 a front that gave the claim to somebody else changes nothing: the record decides")
    void theFrontsLeaseIsLost() {
        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            store.intact().forget(key("a"), LiveLease.OVERRIDE);
            store.intact()
                    .claim(List.of(new ClaimRequest(key("a"), new Owner("successor"), Duration.ofMinutes(1))))
                    .get(0);
            return run(context);
        });

        assertThat(outcome).isInstanceOf(Handled.class);
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    void theDatabaseIsDown() {
        records.down();

        assertThat(dedup.execute(key("a"), this::run))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.STORE_UNAVAILABLE));

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isZero();
    }

    @Test
    void aRolledBackRunIsNotDoneInTheFront() {
        assertThatThrownBy(() -> dedup.execute(key("a"), context -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isEqualTo(1);
    }

    @Test
    void aBatchAsksEachOfTheTwoOnce() {
        dedup.execute(key("known"), this::run);
        dedup.execute(key("forgotten"), this::run);
        store.intact().forget(key("forgotten"), LiveLease.OVERRIDE);
        int calls = store.calls().size();
        int before = records.calls().size();

        List<DedupOutcome<@Nullable Void>> outcomes = dedup.executeAll(
                List.of("a", "known", "forgotten", "b"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> records.effect(item.value())));

        assertThat(outcomes.stream().map(each -> each.getClass().getSimpleName()))
                .containsExactly("Handled", "Duplicate", "Duplicate", "Handled");
        assertThat(records.calls().subList(before, records.calls().size())).containsExactly("begin", "claim", "commit");
        assertThat(store.calls().subList(calls, store.calls().size()).stream().map(call -> call.op()))
                .containsExactly(Op.CLAIM, Op.COMPLETE, Op.COMPLETE);
        assertThat(stateOf("forgotten")).isEqualTo(State.DONE);
    }

    private Deduplicator tiered(UnaryOperator<DedupPolicy.Builder> more) {
        return deduplicator(
                store, policy -> more.apply(policy.mode(DedupMode.TIERED)), builder -> builder.transactions(records));
    }

    private Deduplicator withWindow(Duration window) {
        Duration shorter = window.minusMillis(1);
        return tiered(policy -> policy.window(Window.of(window)).lease(shorter).maxProcessingTime(shorter));
    }

    /** The record expires by the database's clock, which is the real one. */
    private static void passes(Duration window) {
        long from = System.nanoTime();
        await().pollInterval(Duration.ofMillis(10)).until(() -> System.nanoTime() - from > window.toNanos());
    }

    @Test
    @DisplayName("T1 what the front is told late it doesn't remember for longer than the record lasts")
    void toldLate() {
        Duration window = Duration.ofMillis(500);
        Deduplicator brief = withWindow(window);
        store.on(Op.COMPLETE, Faults.down());
        assertThat(brief.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        passes(window);
        records.forget(key("a"), LiveLease.OVERRIDE);

        store.heal();
        await().until(() -> DedupAdapter.of(brief).pendingCompletions() == 0);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isZero();
        assertThat(brief.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        assertThat(records.effects()).containsExactly("a", "a");
    }

    @Test
    @DisplayName("T1 a handler that takes longer than the window: the front remembers no longer than the record lasts")
    void longHandler() {
        Duration window = Duration.ofMillis(50);
        DedupOutcome<String> outcome = withWindow(window).execute(key("a"), context -> {
            passes(window);
            return run(context);
        });
        assertThat(outcome).isInstanceOf(Handled.class);
        await().untilAsserted(() -> assertThat(stateOf("a")).isEqualTo(State.RELEASED));
    }

    private static DedupCall<String> call(@Nullable Fingerprint fingerprint) {
        return new DedupCall<>(key("a"), fingerprint, null);
    }

    @ParameterizedTest
    @CsvSource({"one,", ",one"})
    @DisplayName(
            "the front isn't repaired by a delivery whose fingerprint isn't the record's: it would compare with that")
    void repairedWithoutFingerprint(@Nullable String ofRecord, @Nullable String ofDelivery) {
        Fingerprint recorded = ofRecord == null ? null : new Fingerprint(ofRecord);
        records.commitElsewhere(key("a"), recorded, null);

        assertThat(dedup.execute(call(ofDelivery == null ? null : new Fingerprint(ofDelivery)), this::run))
                .isInstanceOf(Duplicate.class);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(dedup.execute(call(new Fingerprint("two")), this::run))
                .isInstanceOf(recorded == null ? Duplicate.class : Rejected.class);
        assertThat(dedup.execute(call(recorded), this::run)).isInstanceOf(Duplicate.class);
        assertThat(records.effects()).isEmpty();
    }

    @Test
    @DisplayName("T11 who died after the commit has convicted nobody: the record is asked before the verdict")
    void diedAfterTheCommit() {
        Deduplicator strict = deduplicator(
                store, policy -> policy.mode(DedupMode.TIERED).maxDeaths(1), builder -> builder.transactions(records));
        for (String id : List.of("done", "open")) {
            store.intact()
                    .claim(List.of(
                            new ClaimRequest(key(id), new Owner("dead" + Owner.ALONE_END), Duration.ofMinutes(1))))
                    .get(0);
        }
        records.commitElsewhere(key("done"), null, null);
        clock.advance(Duration.ofMinutes(2));

        assertThat(strict.execute(key("done"), this::run)).isInstanceOf(Duplicate.class);
        assertThat(strict.execute(key("open"), this::run))
                .isInstanceOfSatisfying(
                        Rejected.class,
                        rejected -> assertThat(rejected.cause()).isInstanceOf(PoisonMessageException.class));

        assertThat(records.effects()).isEmpty();
        assertThat(records.hasRecord(key("open"))).isFalse();
        assertThat(record("open").deaths()).isZero();
        assertThat(strict.execute(key("open"), this::run)).as("a replay").isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("T11 a batch, too: what is convicted by then leaves no record, and the others run")
    void convictedInABatch() {
        Deduplicator strict = deduplicator(
                store, policy -> policy.mode(DedupMode.TIERED).maxDeaths(1), builder -> builder.transactions(records));
        store.intact()
                .claim(List.of(new ClaimRequest(key("b"), new Owner("dead" + Owner.ALONE_END), Duration.ofMinutes(1))))
                .get(0);
        clock.advance(Duration.ofMinutes(2));

        List<DedupOutcome<@Nullable Void>> outcomes = strict.executeAll(
                List.of("a", "b", "c"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> records.effect(item.value())));

        assertThat(outcomes.stream().map(each -> each.getClass().getSimpleName()))
                .containsExactly("Handled", "Rejected", "Handled");
        assertThat(records.effects()).containsExactly("a", "c");
        assertThat(records.hasRecord(key("b"))).isFalse();
        assertThat(stateOf("b")).isEqualTo(State.RELEASED);
    }
}
