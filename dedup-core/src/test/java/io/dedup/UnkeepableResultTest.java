package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import io.dedup.support.MemoryTransactions;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Results that a policy permits and a store doesn't take: the message is done all the same, and isn't run again. */
class UnkeepableResultTest extends DeduplicatorTestBase {
    private static DedupCall<String> call(String id) {
        return DedupCall.<String>of(key(id)).withResult(ResultCodec.utf8());
    }

    @Test
    @DisplayName("S15 a result beyond the store's limit isn't sent")
    void beyondTheLimit() {
        Deduplicator dedup = deduplicator();
        store.maxResultBytes(1_000);

        assertThat(dedup.execute(call("a"), context -> "x".repeat(1_000)))
                .isInstanceOfSatisfying(
                        Handled.class,
                        handled -> assertThat(handled.completion()).isEqualTo(Completion.DONE));

        assertThat(record("a").result()).isNull();
        assertThat(store.calls(Op.COMPLETE)).hasSize(1);
        assertThat(events.count("result not kept a 1000")).isEqualTo(1);
        dedup.execute(call("b"), context -> "x".repeat(800));
        assertThat(record("b").result()).hasSize(800);
    }

    @Test
    @DisplayName("S15 a result that the store refuses for its size is left out at once")
    void refused() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.resultsFail(() -> new ResultTooLargeException("too large", null)));

        assertThat(dedup.execute(call("a"), context -> "large"))
                .isInstanceOfSatisfying(
                        Handled.class,
                        handled -> assertThat(handled.completion()).isEqualTo(Completion.DONE));

        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(events.count("result not kept a 5")).isEqualTo(1);
        assertThat(dedup.execute(call("a"), context -> "must not run")).isInstanceOf(Duplicate.class);
    }

    /** As a server's broken connection looks, by which it answers a value that is too large. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "S15 results whose completions fail each time are left out in the background, and the others are recorded")
    void failing(boolean guarded) {
        Deduplicator dedup = deduplicator(policy -> policy.onStoreFailure(OnStoreFailure.PROCESS));
        store.on(Op.COMPLETE, Faults.down());
        if (!guarded) {
            store.on(Op.CLAIM, Faults.down());
        }
        for (String id : List.of("a", "b", "c", "d")) {
            assertThat(dedup.execute(call(id), context -> id.equals("a") || id.equals("d") ? null : "bad " + id))
                    .isInstanceOf(Handled.class);
        }
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isEqualTo(4);
        store.on(Op.CLAIM, Faults.times(0, Faults.down()));
        store.on(Op.COMPLETE, Faults.resultsFail(() -> new DedupStoreException("the connection broke", null)));

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);

        for (String id : List.of("a", "b", "c", "d")) {
            assertThat(stateOf(id)).isEqualTo(State.DONE);
        }
        assertThat(events.count("result not kept b 5")).isEqualTo(1);
        assertThat(events.count("result not kept c 5")).isEqualTo(1);
        assertThat(events.all()).noneMatch(event -> event.startsWith("dropped"));
    }

    @Test
    @DisplayName("S15 what fails without its result as well, such as a locked row, keeps it")
    void notTheResult() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down()); // while pings succeed
        dedup.execute(call("a"), context -> "kept");
        await().until(() -> store.calls(Op.COMPLETE).stream()
                .anyMatch(made -> ((CompleteRequest) made.requests().get(0)).result() == null));
        int tried = store.calls(Op.COMPLETE).size();
        await().until(() -> store.calls(Op.COMPLETE).size() > tried);

        assertThat(((CompleteRequest)
                                store.calls(Op.COMPLETE).get(tried).requests().get(0))
                        .result())
                .hasSize(4);
        assertThat(events.all()).noneMatch(event -> event.startsWith("result not kept"));
    }

    @Test
    @DisplayName("S15 an outage doesn't cost results: they are kept once the store answers")
    void outage() {
        Deduplicator dedup = deduplicator();
        store.pingFails(true);
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(call("a"), context -> "kept");
        await().until(() -> store.calls(Op.COMPLETE).size() > 6);
        store.heal();

        await().until(() -> DedupAdapter.of(dedup).pendingCompletions() == 0);
        assertThat(record("a").result()).hasSize(4);
        assertThat(events.all()).noneMatch(event -> event.startsWith("result not kept"));
    }

    @ParameterizedTest
    @EnumSource(names = {"TRANSACTIONAL", "LEASED_TRANSACTIONAL", "TIERED"})
    @DisplayName("S15 in a transaction a result that is refused for its size is left out, and the transaction commits")
    void inATransaction(DedupMode mode) {
        MemoryTransactions records = new MemoryTransactions(mode == DedupMode.TIERED ? null : store);
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder -> builder.topic(TOPIC, policy -> policy.mode(mode)).transactions(records));
        records.failing(mode == DedupMode.LEASED_TRANSACTIONAL ? "complete" : "keep", () -> {
            records.failing(mode == DedupMode.LEASED_TRANSACTIONAL ? "complete" : "keep", null);
            return new ResultTooLargeException("too large", null);
        });

        assertThat(dedup.execute(call("a"), context -> {
                    records.effect("a");
                    return "large";
                }))
                .isInstanceOf(Handled.class);

        assertThat(records.effects()).containsExactly("a");
        assertThat(events.count("result not kept a 5")).isEqualTo(1);
        assertThat(dedup.execute(call("a"), context -> "must not run")).isInstanceOf(Duplicate.class);
    }
}
