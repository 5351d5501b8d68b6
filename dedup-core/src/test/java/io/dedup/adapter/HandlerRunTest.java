package io.dedup.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.Deduplicator;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The order of steps of a run, and that exactly one end is settled. */
class HandlerRunTest extends DeduplicatorTestBase {
    private final Deduplicator dedup = deduplicator();
    private final List<String> steps = new ArrayList<>();

    private Execution admitted(String id) {
        Delivery delivery = Delivery.of(dedup.topic(TOPIC), id, null, () -> "test");
        return ((Admission.Run) DedupAdapter.of(dedup).admit(delivery, WaitBudget.none())).execution();
    }

    private Settlement<String, String> settlement(List<Execution> executions) {
        return new Settlement<>() {
            @Override
            public String succeeded(String result) {
                steps.add("succeeded " + result);
                DedupAdapter.of(dedup).succeedAll(executions, WaitBudget.none());
                return "done";
            }

            @Override
            public String failed(Throwable thrown) {
                steps.add("failed " + thrown.getMessage());
                return HandlerRun.isDeferral(DedupAdapter.of(dedup).failAll(executions, thrown), thrown)
                        ? "deferred"
                        : "failed";
            }
        };
    }

    @Test
    void beginsThenCallsThenSettles() {
        List<Execution> executions = List.of(admitted("a"), admitted("b"));

        assertThat(HandlerRun.runAll(
                        executions,
                        () -> {
                            steps.add("handler");
                            return "x";
                        },
                        settlement(executions)))
                .isEqualTo("done");

        assertThat(steps).containsExactly("handler", "succeeded x");
        assertThat(stateOf("a")).isEqualTo(State.DONE);
        assertThat(stateOf("b")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("whatever is thrown is settled: exceptions, Errors, and failures to begin")
    void thrown() {
        for (Throwable thrown : List.of(
                new IOException("checked"), new IllegalStateException("unchecked"), new StackOverflowError("error"))) {
            Execution execution = admitted("a");
            steps.clear();

            assertThat(HandlerRun.run(
                            execution,
                            () -> {
                                throw thrown;
                            },
                            settlement(List.of(execution))))
                    .isEqualTo("failed");

            assertThat(steps).containsExactly("failed " + thrown.getMessage());
            assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        }
    }

    @Test
    @DisplayName("a settlement that throws isn't settled again: the effect has happened")
    void settlementFails() {
        Execution execution = admitted("a");
        Settlement<String, String> settlement = new Settlement<>() {
            @Override
            public String succeeded(String result) {
                throw new IllegalStateException("of the settlement");
            }

            @Override
            public String failed(Throwable thrown) {
                steps.add("failed");
                return "";
            }
        };

        assertThatIllegalStateException()
                .isThrownBy(() -> HandlerRun.run(execution, () -> "x", settlement))
                .withMessage("of the settlement");

        assertThat(steps).isEmpty();
        assertThat(stateOf("a")).isEqualTo(State.PROCESSING);
        execution.giveBack();
    }

    @Test
    void anErrorIsNeverADeferral() {
        assertThat(HandlerRun.isDeferral(true, new IOException())).isTrue();
        assertThat(HandlerRun.isDeferral(false, new IOException())).isFalse();
        assertThat(HandlerRun.isDeferral(true, new StackOverflowError())).isFalse();
    }
}
