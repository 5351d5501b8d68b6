package io.dedup.simulation.draw;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The draws of one run. Each is a function of the seed and of its own name, not of the draws before it: a run that leaves one
 * event out draws everything else as before. An event is what happens or doesn't, such as a fault at the fourth commit. A run can
 * be limited to events that are listed, so that a failing one is repeated with fewer of them. Thread-safe.
 */
public final class Draws {
    /** How often a kind of event happens is drawn for each run, so that some runs have many of few kinds. */
    private static final int[] ONE_IN = {0, 0, 0, 60, 25, 12, 6};

    private static final int AT_MOST = 5;

    private final long seed;
    private final @Nullable Set<String> only;
    private final Set<String> happened = new LinkedHashSet<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<String, Integer> fixed;
    private final @Nullable Map<String, Integer> bounds;
    private boolean over;

    /** @param only the events that may happen, and do if their occasion arises; null draws them */
    public Draws(long seed, @Nullable Collection<String> only) {
        this.seed = seed;
        this.only = only == null ? null : Set.copyOf(only);
        this.fixed = Map.of();
        this.bounds = null;
    }

    private Draws(long seed, Map<String, Integer> fixed) {
        this.seed = seed;
        this.only = null;
        this.fixed = Map.copyOf(fixed);
        this.bounds = new LinkedHashMap<>();
    }

    /** Draws numbers, but for these, by their names. Knows afterwards which numbers were drawn. */
    public static Draws fixing(long seed, Map<String, Integer> fixed) {
        return new Draws(seed, fixed);
    }

    /** What was drawn by {@link #fixing}, and the bound of each. */
    public Map<String, Integer> bounds() {
        return bounds == null ? Map.of() : new LinkedHashMap<>(bounds);
    }

    /** A fault or something unusual: not after the faults have ended, and not too often in one run. */
    public synchronized boolean happens(String kind, String when) {
        if (over) {
            return false;
        }
        String event = kind + " " + when;
        if (only != null) {
            return only.contains(event) && happened.add(event);
        }
        int oneIn = ONE_IN[below(ONE_IN.length, "how often " + kind)];
        if (oneIn == 0 || below(oneIn, event) != 0 || counts.getOrDefault(kind, 0) >= AT_MOST) {
            return false;
        }
        counts.merge(kind, 1, Integer::sum);
        return happened.add(event);
    }

    /** The one of these kinds that happens now; null if none does. */
    public <T> @Nullable T happening(Collection<T> kinds, String when) {
        for (T each : kinds) {
            if (happens(String.valueOf(each), when)) {
                return each;
            }
        }
        return null;
    }

    /** Something of the ordinary course, which is left out of a run that is limited to its events. */
    public synchronized boolean chance(int oneIn, String event) {
        boolean now = only == null ? below(oneIn, event) == 0 : only.contains(event);
        if (now) {
            happened.add(event);
        }
        return now;
    }

    /** Something that happens unless it is left out. */
    public synchronized boolean unlessLeftOut(String event) {
        boolean now = only == null || only.contains(event);
        if (now) {
            happened.add(event);
        }
        return now;
    }

    /** A number below the bound. */
    public int below(int bound, String what) {
        if (bounds != null) {
            bounds.put(what, bound);
            Integer value = fixed.get(what);
            if (value != null) {
                return value;
            }
        }
        long mixed = seed * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < what.length(); i++) {
            mixed = (mixed ^ what.charAt(i)) * 0xBF58476D1CE4E5B9L;
            mixed ^= mixed >>> 29;
        }
        mixed = (mixed ^ (mixed >>> 30)) * 0x94D049BB133111EBL;
        return (int) Math.floorMod(mixed ^ (mixed >>> 31), (long) bound);
    }

    /** One of these. */
    public <T> T pick(T[] values, String what) {
        return values[below(values.length, what)];
    }

    /** No more faults: what the run has broken must now heal. */
    public synchronized void end() {
        over = true;
    }

    public synchronized boolean isOver() {
        return over;
    }

    /** The events that have happened. */
    public synchronized List<String> happened() {
        return new ArrayList<>(happened);
    }
}
