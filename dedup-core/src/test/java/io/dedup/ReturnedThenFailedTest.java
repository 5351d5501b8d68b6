package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A handler that has returned isn't always done: what comes after it, as an interceptor or the end of a batch, may fail. A process that
 * still took the message for done would acknowledge its next copy without an effect.
 */
class ReturnedThenFailedTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofMillis(300);

    /** How an adapter ends a run after its handler's return. */
    interface End {
        void end(DedupAdapter adapter, Execution execution);
    }

    static Stream<Named<End>> ends() {
        IllegalStateException cause = new IllegalStateException("an interceptor");
        return Stream.of(
                Named.of("fail", (adapter, execution) -> {
                    boolean unused = execution.fail(cause);
                }),
                Named.of("failAll", (adapter, execution) -> {
                    boolean unused = adapter.failAll(List.of(execution), cause);
                }),
                Named.of("abandon", (adapter, execution) -> execution.abandon()));
    }

    private final Deduplicator dedup = deduplicator(policy -> policy.lease(LEASE));
    private final DedupAdapter adapter = DedupAdapter.of(dedup);

    private Admission admit() {
        return adapter.admit(Delivery.of(dedup.topic(TOPIC), "a", null, () -> "a test"), WaitBudget.none());
    }

    @ParameterizedTest
    @MethodSource("ends")
    @DisplayName(
            "a copy that was a duplicate of the returned run doesn't make later copies duplicates of the failed one")
    void failed(End end) {
        store.on(Op.RENEW, Faults.down());
        Execution execution = ((Admission.Run) admit()).execution();
        execution.begin();
        execution.returned();
        clock.advance(LEASE.plusSeconds(1));
        assertThat(admit()).as("until it has failed").isInstanceOf(Admission.Duplicate.class);
        store.heal();

        end.end(adapter, execution);

        clock.advance(Duration.ofMinutes(1)); // the end of the copy's lease
        assertThat(admit()).isInstanceOf(Admission.Run.class);
    }

    @Test
    @DisplayName("what comes after the close is deferred, and listeners hear of it")
    void closed() {
        dedup.close();

        assertThat(admit()).isInstanceOf(Admission.Defer.class);
        assertThat(events.all()).containsExactly("deferred a CLOSED");
    }
}
