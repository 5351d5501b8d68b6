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
 * What waits to be told to the store, oldest first, one thing for each claim. Not thread-safe.
 *
 * @param <W> what waits
 */
final class WriteQueue<W> {
    /** The most that are written with one call. */
    public static final int BATCH = 500;

    private final Map<Claim, W> waiting = new LinkedHashMap<>();
    private final Function<W, Claim> claimOf;

    WriteQueue(Function<W, Claim> claimOf) {
        this.claimOf = claimOf;
    }

    public void add(W work) {
        waiting.put(claimOf.apply(work), work);
    }

    public boolean contains(W work) {
        return waiting.get(claimOf.apply(work)) == work;
    }

    /** Whether it was still waiting. */
    public boolean remove(W work) {
        return waiting.remove(claimOf.apply(work)) != null;
    }

    /** Takes the place of what waits for the same claim; false where nothing does. */
    public boolean replace(W work) {
        return waiting.replace(claimOf.apply(work), work) != null;
    }

    /** Puts it behind the others, so that one that always fails doesn't hold them up. */
    void moveToEnd(W work) {
        if (remove(work)) {
            add(work);
        }
    }

    /** The oldest ones, each key once, as a batch call wants it; the {@code pointless} ones among them are dropped. */
    public List<W> next(int max, Predicate<W> pointless) {
        List<W> next = new ArrayList<>();
        Set<DedupKey> keys = new HashSet<>();
        List<W> dropped = new ArrayList<>(0);
        for (W work : waiting.values()) {
            if (next.size() == max) {
                break;
            }
            if (pointless.test(work)) {
                dropped.add(work);
            } else if (keys.add(claimOf.apply(work).key())) {
                next.add(work);
            }
        }
        for (W work : dropped) {
            boolean there = remove(work);
            assert there;
        }
        return next;
    }

    /** Removes all that match, and returns them. */
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
