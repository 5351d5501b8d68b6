package io.dedup.internal.run;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.adapter.Delivery;
import io.dedup.policy.DedupPolicy;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Handler, heartbeat and shutdown meet in an execution: each thing that may happen once happens once. */
@org.junit.jupiter.api.parallel.Execution(ExecutionMode.CONCURRENT)
@ResourceLock("lincheck") // attaches an agent to the JVM
class RunFlagsTest {
    public static class Flags {
        private final AdmittedRun execution;

        public Flags() {
            DedupTopic topic = new DedupTopic(DedupScope.of("group", "topic"), DedupPolicy.defaults());
            execution = new AdmittedRun(
                    null, Delivery.of(topic, "a", null, () -> "test"), AdmittedRun.Guard.CLAIMED, null, null, 0);
        }

        @Operation
        public boolean close() {
            return execution.close();
        }

        @Operation
        public boolean isClosed() {
            return execution.isClosed();
        }

        @Operation
        public boolean reportLossOnce() {
            return execution.reportLossOnce();
        }

        @Operation
        public boolean reportOverrunOnce() {
            return execution.reportOverrunOnce();
        }
    }

    @Test
    @DisplayName("an execution is closed once, and its loss and its overrun are told once")
    void once() {
        new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .iterations(5)
                .invocationsPerIteration(100)
                .check(Flags.class);
    }
}
