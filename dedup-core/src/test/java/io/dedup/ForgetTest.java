package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.policy.DedupMode;
import io.dedup.store.ClaimRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** What an operator makes a deduplicator forget: one message, or the whole store in front. */
class ForgetTest extends TransactionalTestBase {
    private Deduplicator inAny(DedupMode mode) {
        return mode == DedupMode.LEASED ? deduplicator() : in(mode);
    }

    private DedupOutcome<String> handle(Deduplicator dedup, String id) {
        return dedup.execute(key(id), context -> {
            runs++;
            if (dedup.topic(TOPIC).policy().mode().isTransactional()) {
                records.effect(id);
            }
            return "ok";
        });
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("whatever the mode, a message that was forgotten runs again, once; others stay done")
    void forgottenInEachMode(DedupMode mode) {
        Deduplicator dedup = inAny(mode);
        handle(dedup, "a");
        handle(dedup, "other");
        assertThat(handle(dedup, "a")).isInstanceOf(Duplicate.class);

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);

        assertThat(store.find(key("a"))).isEmpty();
        assertThat(records.hasRecord(key("a"))).isFalse();
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.ABSENT);
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
        assertThat(handle(dedup, "a")).isInstanceOf(Duplicate.class);
        assertThat(handle(dedup, "other")).isInstanceOf(Duplicate.class);
        assertThat(runs).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"LEASED", "TRANSACTIONAL"})
    @DisplayName("while a consumer in mode TIERED and one in another mode run, either forgets what both would read")
    void forgottenBesideTiered(DedupMode mode) {
        Deduplicator tiered = in(DedupMode.TIERED);
        Deduplicator other = in(mode);
        handle(tiered, "a");
        handle(tiered, "b");

        assertThat(other.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        assertThat(other.forget(key("b"), LiveLease.OVERRIDE)).isEqualTo(OperatorResult.APPLIED);

        assertThat(handle(tiered, "a")).isInstanceOf(Handled.class);
        assertThat(handle(tiered, "b")).isInstanceOf(Handled.class);
        assertThat(runs).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "TRANSACTIONAL")
    @DisplayName("while a lease is live only one who insists forgets it")
    void liveLease(DedupMode mode) {
        Deduplicator dedup = inAny(mode);
        store.claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.LEASE_LIVE);
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);

        assertThat(dedup.forget(key("a"), LiveLease.OVERRIDE)).isEqualTo(OperatorResult.APPLIED);
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }

    @ParameterizedTest
    @EnumSource(names = {"TIERED", "LEASED"})
    @DisplayName("a refusal leaves the record alone: a consumer in mode TIERED that has the claim finds it")
    void refusedAsAWhole(DedupMode mode) {
        Deduplicator dedup = in(mode);
        Deduplicator tiered = in(DedupMode.TIERED);
        records.commitElsewhere(key("a"), null, null);
        store.claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.LEASE_LIVE);

        assertThat(records.hasRecord(key("a"))).isTrue();
        clock.advance(Duration.ofMinutes(2));
        assertThat(handle(tiered, "a")).isInstanceOf(Duplicate.class);
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        assertThat(handle(tiered, "a")).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName(
            "who claims a message while it is forgotten, and so has the steps of earlier attempts, refuses the command")
    void claimedWithStepsMeanwhile() {
        Deduplicator dedup = in(DedupMode.LEASED);
        Deduplicator elsewhere = deduplicator();
        List<String> charged = new ArrayList<>();
        DedupHandler<String, RuntimeException> failing = context -> {
            context.step("charge", () -> charged.add("a"));
            throw new IllegalStateException("as it should");
        };
        assertThatThrownBy(() -> elsewhere.execute(key("a"), failing)).isInstanceOf(IllegalStateException.class);
        store.on(Op.RELEASE, Faults.times(1, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            store.claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))));
            return answers;
        }));

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.LEASE_LIVE);

        clock.advance(Duration.ofMinutes(2));
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        assertThatThrownBy(() -> elsewhere.execute(key("a"), failing)).isInstanceOf(IllegalStateException.class);
        assertThat(charged).containsExactly("a", "a");
    }

    @Test
    @DisplayName(
            "in TIERED mode an answer of the front that is lost holds the message for no lease, and is nobody's death")
    void claimUnanswered() {
        Deduplicator dedup = in(DedupMode.TIERED, policy -> policy.maxDeaths(1));
        records.commitElsewhere(key("a"), null, null);
        store.on(Op.CLAIM, Faults.lostAnswer());

        assertThatThrownBy(() -> dedup.forget(key("a"), LiveLease.RESPECT)).isInstanceOf(DedupStoreException.class);

        await().untilAsserted(() -> assertThat(stateOf("a")).isEqualTo(State.RELEASED));
        store.heal();
        assertThat(records.hasRecord(key("a"))).isTrue();
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName(
            "in TIERED mode a front that fails after the record is gone lets the message run as soon as it answers")
    void releaseFails() {
        Deduplicator dedup = in(DedupMode.TIERED, policy -> policy.maxDeaths(1));
        records.commitElsewhere(key("a"), null, null);
        store.on(Op.RELEASE, Faults.down());

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isEqualTo(OperatorResult.APPLIED);

        store.heal();
        await().untilAsserted(() -> assertThat(stateOf("a")).isEqualTo(State.RELEASED));
        assertThat(record("a").deaths()).isZero();
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("in TIERED mode nobody gets the claim while the record is on its way out")
    void claimedMeanwhile() {
        Deduplicator dedup = in(DedupMode.TIERED);
        records.commitElsewhere(key("a"), null, null);
        records.failing("forget", () -> {
            assertThat(handle(dedup, "a")).isInstanceOf(Deferred.class);
            return new DedupStoreException("database is down", null);
        });

        assertThatThrownBy(() -> dedup.forget(key("a"), LiveLease.RESPECT)).isInstanceOf(DedupStoreException.class);

        assertThat(handle(dedup, "a")).isInstanceOf(Duplicate.class);
    }

    @Test
    @DisplayName("in TIERED mode the record is gone before the one in front, or the front would be repaired from it")
    void recordFirst() {
        Deduplicator dedup = in(DedupMode.TIERED);
        handle(dedup, "a");
        store.forget(key("a"), LiveLease.OVERRIDE);

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT))
                .as("only the record was there")
                .isEqualTo(OperatorResult.APPLIED);
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);

        records.forget(key("a"), LiveLease.OVERRIDE);
        assertThat(dedup.forget(key("a"), LiveLease.RESPECT))
                .as("only the front had it")
                .isEqualTo(OperatorResult.APPLIED);
        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
        assertThat(runs).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "TIERED")
    @DisplayName("a store that nothing stands behind isn't reset: it would be the only one to know")
    void resetIsForTiered(DedupMode mode) {
        Deduplicator dedup = inAny(mode);
        store.claim(List.of(new ClaimRequest(key("a"), new Owner("somebody"), Duration.ofMinutes(1))))
                .get(0);

        assertThatThrownBy(dedup::resetFront)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TIERED")
                .hasMessageContaining("billing");

        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
    }

    @Test
    @DisplayName("a database put back to an earlier state: what it has lost runs again, what it has kept doesn't")
    void databaseRestored() {
        Deduplicator dedup = in(DedupMode.TIERED);
        handle(dedup, "kept");
        handle(dedup, "lost");
        records.forget(key("lost"), LiveLease.OVERRIDE); // as a restore does, with the effect
        assertThat(handle(dedup, "lost"))
                .as("what resetFront is for: acked, though its effect is gone")
                .isInstanceOf(Duplicate.class);

        assertThat(dedup.resetFront()).isEqualTo(2);

        assertThat(handle(dedup, "lost")).isInstanceOf(Handled.class);
        assertThat(handle(dedup, "kept")).isInstanceOf(Duplicate.class);
        assertThat(handle(dedup, "lost")).isInstanceOf(Duplicate.class);
        assertThat(records.effects()).containsExactly("kept", "lost", "lost");
        assertThat(stateOf("kept")).as("repaired from the record").isEqualTo(State.DONE);
        assertThat(dedup.resetFront()).isEqualTo(2);
        assertThat(dedup.resetFront()).isZero();
    }

    @Test
    @DisplayName("a live lease in front is forgotten as well, an expired record isn't counted")
    void leasesAreReset() {
        Deduplicator dedup = in(DedupMode.TIERED);
        store.claim(List.of(new ClaimRequest(key("old"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);
        clock.advance(Duration.ofDays(30));
        store.claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        assertThat(dedup.resetFront()).isEqualTo(1);

        assertThat(handle(dedup, "a")).isInstanceOf(Handled.class);
    }

    @Test
    @DisplayName("a store that cannot forget everything says so")
    void notEveryStoreCan() {
        DedupStore unable = (DedupStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DedupStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("forgetAll")) {
                        return InvocationHandler.invokeDefault(proxy, method, arguments);
                    }
                    return method.invoke(store, arguments);
                });
        Deduplicator dedup =
                deduplicator(unable, policy -> policy.mode(DedupMode.TIERED), builder -> builder.transactions(apart));

        assertThatThrownBy(dedup::resetFront)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("faulty");
    }
}
