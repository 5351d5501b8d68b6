package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is told late together with other things that take long. */
class LateWindowTest extends DeduplicatorTestBase {
    private static final Duration WINDOW = Duration.ofSeconds(2);

    @Test
    @DisplayName("T1 what is left of a window is looked at when it is sent, and not before what is sent first")
    void afterTheClaims() {
        MemoryTransactions records = new MemoryTransactions(null);
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy.onStoreFailure(OnStoreFailure.PROCESS),
                builder -> builder.topic(
                                "tiered",
                                policy -> policy.mode(DedupMode.TIERED)
                                        .onStoreFailure(OnStoreFailure.RETRY)
                                        .window(Window.of(WINDOW))
                                        .lease(WINDOW.minusMillis(1))
                                        .maxProcessingTime(WINDOW.minusMillis(1)))
                        .transactions(records));
        DedupKey tiered = dedup.key("tiered", "a");
        store.on(Op.COMPLETE, Faults.down());
        long began = System.nanoTime();
        assertThat(dedup.execute(tiered, context -> "ok")).isInstanceOf(Handled.class);
        store.down();
        assertThat(dedup.execute(key("unguarded"), context -> "ok")).isInstanceOf(Handled.class);
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(2);

        store.on(Op.CLAIM, (call, real) -> {
            await().until(() -> System.nanoTime() - began > WINDOW.toNanos());
            store.heal();
            return real.apply(call.requests());
        });
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);

        assertThat(stateOf("unguarded")).isEqualTo(State.DONE);
        assertThat(store.find(tiered))
                .hasValueSatisfying(record -> assertThat(record.state()).isEqualTo(State.RELEASED));
    }

    @Test
    @DisplayName(
            "a success whose claim is made only when its window is over isn't recorded, and the message is a new one")
    void claimedTooLate() {
        Deduplicator dedup = deduplicator(policy -> policy.window(WINDOW).onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        assertThat(dedup.execute(key("a"), context -> "ok")).isInstanceOf(Handled.class);
        long ended = System.nanoTime();

        store.on(Op.CLAIM, (call, real) -> {
            await().until(() -> System.nanoTime() - ended > WINDOW.toNanos());
            store.heal();
            return real.apply(call.requests());
        });
        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);

        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(dedup.execute(key("a"), context -> "ok")).isInstanceOf(Handled.class);
    }
}
