package io.dedup.adapter;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How an admitted run ended. */
public sealed interface RunEnd {
    /** The handler succeeded, and the guarantee of its mode holds: acknowledge the message. */
    record Handled(Completion completion) implements RunEnd {
        private static final Map<Completion, Handled> ALL = Arrays.stream(Completion.values())
                .collect(Collectors.toMap(
                        each -> each, Handled::new, (one, other) -> one, () -> new EnumMap<>(Completion.class)));

        /** Returns the one with this completion; every message needs one. */
        public static Handled with(Completion completion) {
            return requireNonNull(ALL.get(completion));
        }
    }

    /**
     * The handler failed; its claim is released and its transaction rolled back. The broker's own retry policy applies.
     */
    record Failed(Throwable cause) implements RunEnd {}

    /**
     * The handler did not run, or its transaction was rolled back: follow this admission, which is not an
     * {@link Admission.Run}.
     */
    record NotHandled(Admission admission) implements RunEnd {
        /**
         * Creates the end of a run whose handler failed after its claim was lost. The listeners have already been
         * notified.
         */
        public static NotHandled leaseLost(Duration retryAfter, Throwable cause) {
            return new NotHandled(new Admission.Defer(DeferReason.LEASE_LOST, retryAfter, false, cause));
        }

        /**
         * Whether the handler failed after its claim was lost. The consumer that took over the claim decides the
         * outcome; until then this is not a failure, and the handler must not run here again.
         */
        public boolean failedWithoutClaim() {
            return admission instanceof Admission.Defer defer
                    && defer.reason() == DeferReason.LEASE_LOST
                    && defer.cause() != null;
        }
    }
}
