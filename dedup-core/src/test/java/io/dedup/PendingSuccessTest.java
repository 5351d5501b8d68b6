package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** D10: what a copy is answered while the first one's success waits for the store, and when that ends. */
class PendingSuccessTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));

    /** Succeeds while the store takes no completions, until its lease is over. */
    private void handledDuringAnOutage(String id) {
        store.on(Op.COMPLETE, Faults.down()).on(Op.RENEW, Faults.down());
        dedup.execute(key(id), context -> effects.add(id));
        clock.advance(LEASE.plusSeconds(1));
    }

    @Test
    @DisplayName("PROCESS: what was handled without a claim is known until the store knows it")
    void unguarded() {
        Deduplicator processing = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        processing.execute(key("a"), context -> effects.add("a"));

        assertThat(processing.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Duplicate.class);

        assertThat(effects).containsExactly("a");
        store.heal();
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName("RETRY: a store that still takes no claims doesn't keep a known copy waiting")
    void knownWhileDown() {
        handledDuringAnOutage("a");
        store.down();
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Duplicate.class);
        assertThat(dedup.executeAll(List.of("a", "a"), DeduplicatorTestBase::key, items -> effects.add("a")))
                .allMatch(Duplicate.class::isInstance);
        assertThat(effects).containsExactly("a");
    }

    @Test
    @DisplayName("a copy of what waits gets its result, and one with another payload is a conflict")
    void resultAndPayload() {
        DedupCall<String> call =
                DedupCall.<String>of(key("a")).withResult(ResultCodec.utf8()).withFingerprint(new Fingerprint("x"));
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(call, context -> "result");

        assertThat(dedup.execute(call, context -> "twice"))
                .isInstanceOfSatisfying(
                        Duplicate.class,
                        duplicate -> assertThat(duplicate.value()).isEqualTo("result"));
        assertThat(dedup.execute(call.withFingerprint(new Fingerprint("y")), context -> "other"))
                .isInstanceOf(DedupOutcome.Rejected.class);
    }

    @Test
    @DisplayName("what an operator forgets runs again, also when this process knows that it has succeeded")
    void forgotten() {
        handledDuringAnOutage("a");

        assertThat(dedup.forget(key("a"), LiveLease.RESPECT)).isNotNull();

        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        store.heal();
        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);
        assertThat(effects).containsExactly("a", "a");
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("after the store has answered nothing is kept: when the window is over the message is new")
    void nothingIsKept() {
        handledDuringAnOutage("a");
        store.heal();
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        clock.advance(Duration.ofDays(30));

        assertThat(dedup.execute(key("a"), context -> effects.add("a"))).isInstanceOf(Handled.class);

        assertThat(effects).containsExactly("a", "a");
    }
}
