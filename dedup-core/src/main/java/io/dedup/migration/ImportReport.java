package io.dedup.migration;

import java.util.List;

/**
 * What an import has done so far. Immutable.
 *
 * <p>Every ID that was read is counted once: {@code read = imported + known + held + over + refused}.
 *
 * @param read how many IDs of the stream have been decided, from its beginning. An import that stopped can be continued
 *     behind them
 * @param imported now recorded as done, or recorded with a later end of the window than before
 * @param known were recorded as done already, with a window that ends no earlier; also copies of an ID in the stream
 * @param held not imported, because a handler has a live lease or an open transaction. If that handler fails, the
 *     message is handled again: import these IDs again later
 * @param over not imported, because their window has ended by the store's clock
 * @param refused not imported, because the ID or the time is unusable
 * @param withoutResult imported, but without their result, which exceeds the limit of the policy or the store
 * @param problems the first {@link #MAX_PROBLEMS} IDs that were held or refused
 */
public record ImportReport(
        long read,
        long imported,
        long known,
        long held,
        long over,
        long refused,
        long withoutResult,
        List<Problem> problems) {
    /** The maximum number of problems that a report lists; all are counted. */
    public static final int MAX_PROBLEMS = 100;

    public ImportReport {
        problems = List.copyOf(problems);
    }

    /** Whether every ID is now recorded as done, or needs no record because its window has ended. */
    public boolean isComplete() {
        return held == 0 && refused == 0;
    }

    /**
     * An ID that was not imported.
     *
     * @param position in the stream, from 1
     * @param text the ID, safe for log lines, and the reason
     */
    public record Problem(long position, String text) {}
}
