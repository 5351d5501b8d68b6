package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.store.ClaimRequest;
import io.dedup.store.DedupStoreException;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A store in front, a record that decides. */
class TieredTest extends DeduplicatorTestBase {
    private final MemoryTransactions records = new MemoryTransactions(null);
    private final Deduplicator dedup =
            deduplicator(store, policy -> policy.mode(DedupMode.TIERED), builder -> builder.transactions(records));

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
        store.intact().forget(key("a"), true);

        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        int before = records.calls().size();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Duplicate.class);

        assertThat(records.calls()).hasSize(before);
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    void aCopyInFlightAsksTheFrontOnly() {
        store.intact().claim(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1)));

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
    @DisplayName("a front that failed a moment ago isn't asked: each question would cost its time-out")
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
        assertThat(records.effects()).containsExactly("a");
    }

    @Test
    @DisplayName("T1 a front that gave the claim to somebody else changes nothing: the record decides")
    void theFrontsLeaseIsLost() {
        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            store.intact().forget(key("a"), true);
            store.intact().claim(new ClaimRequest(key("a"), new Owner("successor"), Duration.ofMinutes(1)));
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
        store.intact().forget(key("forgotten"), true);
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

    @Test
    @DisplayName("what was paused for the database goes on when that answers, whatever the front does")
    void pingsWhatKeepsDeliveriesWaiting() {
        records.down();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Deferred.class);
        assertThatThrownBy(() -> dedup.engine().ping()).isInstanceOf(DedupStoreException.class);

        records.failing("begin", null);
        store.down();
        store.pingFails(true);

        dedup.engine().ping();
        assertThat(dedup.execute(key("a"), this::run)).isInstanceOf(Handled.class);
        assertThatThrownBy(() -> dedup.engine().ping()).isInstanceOf(DedupStoreException.class);
    }
}
