package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupMode;
import io.dedup.policy.OnMissingId;
import io.dedup.support.DeduplicatorTestBase;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Batches in one transaction. */
class TransactionalBatchTest extends TransactionalTestBase {
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aBatchIsOneTransaction(DedupMode mode) {
        Deduplicator dedup = in(mode);
        dedup.execute(key("done"), this::run);
        int before = records.calls().size();

        List<DedupOutcome<@Nullable Void>> outcomes = dedup.executeAll(
                List.of("a", "done", "b", "a"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> records.effect(item.value())));

        assertThat(outcomes.stream().map(each -> each.getClass().getSimpleName()))
                .containsExactly("Handled", "Duplicate", "Handled", "Duplicate");
        assertThat(records.effects()).containsExactly("done", "a", "b");
        assertThat(records.calls().subList(before, records.calls().size()))
                .isEqualTo(List.of("begin", mode == DedupMode.LEASED_TRANSACTIONAL ? "complete" : "claim", "commit"));
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = LEASED)
    void aBatchThatFailsLeavesNothing(DedupMode mode) {
        Deduplicator dedup = in(mode);

        assertThatThrownBy(() -> dedup.executeAll(List.of("a", "b"), DeduplicatorTestBase::key, items -> {
                    records.effect("half");
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(records.effects()).isEmpty();
        assertThat(records.hasRecord(key("a"))).isFalse();
        List<DedupOutcome<@Nullable Void>> again = dedup.executeAll(
                List.of("a", "b"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> records.effect(item.value())));
        assertThat(again).allMatch(Handled.class::isInstance);
    }

    @Test
    @DisplayName("53200: what doesn't fit into the server's table of locks is run in parts")
    void tooManyRecords() {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL);
        records.mostRecords(3);
        List<String> ids = IntStream.range(0, 10).mapToObj(Integer::toString).toList();

        List<DedupOutcome<@Nullable Void>> outcomes = dedup.executeAll(
                ids, DeduplicatorTestBase::key, items -> items.forEach(item -> records.effect(item.value())));

        assertThat(outcomes.subList(0, 2)).allMatch(Handled.class::isInstance);
        assertThat(outcomes.subList(2, 10)).allMatch(Deferred.class::isInstance);
        assertThat(records.effects()).containsExactly("0", "1");
    }

    @ParameterizedTest
    @CsvSource({"b, true", "'', false"})
    @DisplayName("a run without a record is told of: no record could tell that the database has undone the transaction")
    void runsWithoutARecord(String second, boolean onlyRecords) {
        Deduplicator dedup = in(DedupMode.TRANSACTIONAL, policy -> policy.onMissingId(OnMissingId.PROCESS));
        List<Execution> executions = Stream.of("a", second)
                .map(id -> Delivery.of(dedup.topic(TOPIC), id, null, () -> "x"))
                .map(delivery -> DedupAdapter.of(dedup).admit(delivery, WaitBudget.none()))
                .map(admission -> ((Admission.Run) admission).execution())
                .toList();

        TransactionalRun run = DedupAdapter.of(dedup).open(executions, true, WaitBudget.none());

        assertThat(records.onlyRecords()).isEqualTo(onlyRecords);
        assertThat(run.executions()).hasSize(2);
        assertThat(run.succeeded(null)).isEqualTo(new RunEnd.Handled(Completion.DONE));
    }

    @Test
    void topicsOfDifferentModesAreNoBatch() {
        Deduplicator dedup = deduplicator(
                store,
                policy -> policy,
                builder ->
                        builder.transactions(apart).topic("payments", policy -> policy.mode(DedupMode.TRANSACTIONAL)));

        assertThatThrownBy(() ->
                        dedup.executeAll(List.of("orders", "payments"), topic -> dedup.key(topic, "a"), items -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LEASED and TRANSACTIONAL");
        assertThat(dedup.execute(dedup.key("orders", "a"), context -> "free again"))
                .isInstanceOf(Handled.class);
    }
}
