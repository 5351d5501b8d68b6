package io.dedup.store.jdbc.internal.postgres;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * The places of expired rows, which the next batches of a purge remove. A search for them passes everything that
 * earlier batches have removed and the database has not cleaned up yet, which can take longer than removing a batch;
 * therefore one search serves several batches. The places are hints: a row is checked again before it is removed.
 *
 * <p>Thread-safe.
 */
final class DueRows {
    /** How many batches one search serves at least. */
    private static final int BATCHES = 10;

    /** A search passes what was removed before, which takes the same time for a few rows as for many. */
    private static final int FEWEST = 500;

    /**
     * The place of a row.
     *
     * @param partition the {@code oid} of its table, or of its partition
     * @param row its {@code ctid}, which is unique only within the partition
     */
    record Place(String partition, String row) {}

    private final Deque<Place> places = new ArrayDeque<>();
    private boolean more;
    private boolean idle;

    /** How many rows a search should find, for batches of this size. */
    static int wanted(int batch) {
        return Math.max(batch * BATCHES, FEWEST);
    }

    /** Returns the places that {@link PostgresSql#DUE} finds, at most {@code most}. */
    static List<Place> look(PreparedStatement due, int most) throws SQLException {
        due.setInt(1, most);
        List<Place> seen = new ArrayList<>();
        try (ResultSet result = due.executeQuery()) {
            while (result.next()) {
                seen.add(new Place(result.getString(1), result.getString(2)));
            }
        }
        return seen;
    }

    /** Binds places of one partition to the parameters of {@link PostgresSql#PURGE}. */
    static void bind(PreparedStatement statement, List<Place> places) throws SQLException {
        statement.setString(1, places.stream().map(Place::row).collect(Collectors.joining("\",\"", "{\"", "\"}")));
        statement.setString(2, places.get(0).partition());
    }

    /** Takes up to {@code limit} places of one partition; none if it is time to search again. */
    synchronized List<Place> take(int limit) {
        List<Place> taken = new ArrayList<>(Math.min(limit, places.size()));
        while (taken.size() < limit
                && !places.isEmpty()
                && (taken.isEmpty()
                        || places.element().partition().equals(taken.get(0).partition()))) {
            taken.add(places.remove());
        }
        return taken;
    }

    /**
     * Adds the result of a search. Starts at a random place, because other processes that search now find the same
     * rows.
     *
     * @param most the maximum number of places that the search could find
     */
    synchronized void found(List<Place> seen, int most) {
        List<Place> turned = new ArrayList<>(seen);
        turned.sort(Comparator.comparing(Place::partition));
        if (!seen.isEmpty()) {
            Collections.rotate(turned, ThreadLocalRandom.current().nextInt(seen.size()));
        }
        places.addAll(turned);
        more = seen.size() == most;
        idle = true;
    }

    /** Notes how many of the taken rows could be checked; the others are locked or were removed. */
    synchronized void looked(int rows) {
        idle &= rows == 0;
    }

    /**
     * Whether another batch may find something to remove. Rows that are locked, or being removed by other processes,
     * are left for later.
     *
     * @param fresh whether the search has just been made; if not, more rows may have expired since
     */
    synchronized boolean hasMore(boolean fresh) {
        return !places.isEmpty() || (!idle && (more || !fresh));
    }
}
