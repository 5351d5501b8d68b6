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
 * Where expired rows were seen, of which the next batches of a purge are made. To look for them passes by everything that
 * earlier batches have removed and the database hasn't cleaned up yet, which can take longer than to remove a batch: so one
 * look does for several. What is here is a hint: a row is looked at once more before it is removed.
 *
 * <p>Thread-safe.
 */
final class DueRows {
    /** For how many batches one look does. */
    static final int BATCHES = 10;

    /**
     * Where a row is.
     *
     * @param partition the {@code oid} of its table, or of its partition
     * @param row its {@code ctid}, which is only unique in there
     */
    record Place(String partition, String row) {}

    private final Deque<Place> places = new ArrayDeque<>();
    private boolean more;
    private boolean idle;

    /** The places that {@link PostgresSql#DUE} tells, {@code most} at most. */
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

    /** Up to so many places, of one partition; none when it is time to look. */
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
     * What a look has found. Begins anywhere: others who look now find the same.
     *
     * @param most what it could have found
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

    /** So many of what was taken could be looked at: the others are locked, or no longer there. */
    synchronized void looked(int rows) {
        idle &= rows == 0;
    }

    /**
     * Whether another batch may have something to do; where all that was found is locked, or somebody else's work, that is
     * for another time.
     *
     * @param fresh whether the look was just now; else more may have expired since
     */
    synchronized boolean hasMore(boolean fresh) {
        return !places.isEmpty() || (!idle && (more || !fresh));
    }
}
