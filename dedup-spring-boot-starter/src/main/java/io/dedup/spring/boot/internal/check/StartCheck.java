package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import java.util.List;

/** Looks for what is risky, before the listeners start. */
public interface StartCheck {
    /**
     * What to warn of; with {@code dedup.strict} the first one fails the start.
     *
     * @param served the listeners that are deduplicated
     */
    List<Warning> warnings(List<DeduplicatedListener> served);

    /**
     * A risk.
     *
     * @param problem without a full stop
     * @param action what to change
     */
    record Warning(String problem, String action) {}
}
