package io.dedup.internal.background;

import io.dedup.DedupKey;
import io.dedup.store.Claim;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Pending writes to the store, oldest first, one for each claim. Not thread-safe.
 *
 * @param <W> the type of a write
 */
final class WriteQueue<W> {
    /** The maximum number of writes in one call. */
    public static final int BATCH = 500;

    private final Map<Claim, W> waiting = new LinkedHashMap<>();
    private final Function<W, Claim> claimOf;

    WriteQueue(Function<W, Claim> claimOf) {
        this.claimOf = claimOf;
    }

    public void add(W work) {
        waiting.put(claimOf.apply(work), work);
    }

    /** Whether a write of the same claim is pending. */
    public boolean contains(W work) {
        return waiting.containsKey(claimOf.apply(work));
    }

    /** Removes a write; returns whether it was still pending. */
    public boolean remove(W work) {
        return waiting.remove(claimOf.apply(work)) != null;
    }

    /** Replaces the pending write of the same claim; returns false if there is none. */
    public boolean replace(W work) {
        return waiting.replace(claimOf.apply(work), work) != null;
    }

    /** Moves a write to the end, so that a write that always fails does not delay the others. */
    void moveToEnd(W work) {
        if (remove(work)) {
            add(work);
        }
    }

    /** The oldest writes, each key once, as a batch call requires; drops the {@code pointless} ones among them. */
    public List<W> next(int max, Predicate<W> pointless) {
        return next(max, work -> true, pointless);
    }

    /** Like {@link #next(int, Predicate)}, of those that are wanted now. */
    List<W> next(int max, Predicate<W> wanted, Predicate<W> pointless) {
        List<W> next = new ArrayList<>();
        Set<DedupKey> keys = new HashSet<>();
        List<W> dropped = new ArrayList<>(0);
        for (W work : waiting.values()) {
            if (next.size() == max) {
                break;
            }
            if (pointless.test(work)) {
                dropped.add(work);
            } else if (wanted.test(work) && keys.add(claimOf.apply(work).key())) {
                next.add(work);
            }
        }
        for (W work : dropped) {
            boolean there = remove(work);
            assert there;
        }
        return next;
    }

    /** Removes all matching writes, and returns them. */
    public List<W> removeAll(Predicate<W> which) {
        List<W> removed = waiting.values().stream().filter(which).toList();
        waiting.values().removeAll(removed);
        return removed;
    }

    public List<W> removeAll() {
        List<W> all = List.copyOf(waiting.values());
        waiting.clear();
        return all;
    }

    public int size() {
        return waiting.size();
    }
}
