package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import java.util.List;

/** Looks for what is risky, before the listeners start. */
public interface RiskCheck {
    /** Called for all checks, before the first one looks: finds listeners that nothing has reported yet. */
    default void findListeners() {}

    /**
     * What to warn of; with {@code dedup.strict} the first one fails the start.
     *
     * @param served the listeners that are deduplicated
     */
    List<Warning> warnings(List<DeduplicatedListener> served);

    /** Whether it waits for an answer from elsewhere. Unless it may fail the start, the start doesn't wait for it. */
    default boolean waits() {
        return false;
    }

    /**
     * A risk.
     *
     * @param problem without a full stop
     * @param action what to change
     */
    record Warning(String problem, String action) {}
}
