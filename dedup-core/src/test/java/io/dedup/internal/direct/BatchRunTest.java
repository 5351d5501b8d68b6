package io.dedup.internal.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupPolicy;
import io.dedup.support.DeduplicatorTestBase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchRunTest extends DeduplicatorTestBase {
    @Test
    @DisplayName("a copy of what doesn't run gets its leader's outcome, never none")
    void copyOfADeferredLeader() {
        BatchRun<String> run = new BatchRun<>(
                DedupAdapter.of(deduplicator()),
                new Outcomes(DedupAdapter.of(deduplicator()).results()),
                key -> DedupPolicy.defaults(),
                WaitBudget.none());
        Admission.Defer defer =
                new Admission.Defer(DeferReason.STORE_UNAVAILABLE, Duration.ofSeconds(1), false, false, null);

        assertThat(run.run(
                        List.of("a", "a"),
                        List.of(key("a"), key("a")),
                        List.of(defer, new Admission.Follow(0)),
                        items -> fail("run")))
                .hasSize(2)
                .containsOnly(new Deferred<>(DeferReason.STORE_UNAVAILABLE, Duration.ofSeconds(1), null));
    }
}
