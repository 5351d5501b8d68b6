package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One read for many keys, a decision for each, and the writes that follow. */
final class CompareAndSet {
    private final Rows rows;
    private final SqlFailures failures;
    private final long patienceNanos;
    private final boolean jdbcBatches;

    /** @param patience after which rows that weren't tried yet are given up, once one of them was found locked */
    CompareAndSet(Rows rows, SqlFailures failures, Duration patience, boolean jdbcBatches) {
        this.rows = rows;
        this.failures = failures;
        this.patienceNanos = patience.toNanos();
        this.jdbcBatches = jdbcBatches;
    }

    /**
     * What a decision comes to.
     *
     * @param next the row to be written in place of {@code before}, or null
     * @param answer holds once that is written
     */
    record Step<A>(@Nullable Row before, @Nullable Row next, A answer) {
        static <A> Step<A> unchanged(A answer) {
            return new Step<>(null, null, answer);
        }

        static <A> Step<A> change(@Nullable Row before, Row next, A answer) {
            return new Step<>(before, next, answer);
        }
    }

    /** Decides what a request does to the row that was read. */
    interface Decision<Q, A> {
        Step<A> on(Q request, @Nullable Row row, long now);
    }

    /** Answers in the order of the requests; null where somebody else changed the row first. */
    <Q, A> List<@Nullable A> all(
            Connection connection,
            List<Q> requests,
            Function<Q, DedupKey> key,
            Decision<Q, A> decision,
            Function<@Nullable SQLException, A> locked)
            throws SQLException {
        List<DedupKey> keys = requests.stream().map(key).toList();
        List<Step<A>> steps = decide(requests, keys, decision, rows.read(connection, keys));
        List<@Nullable A> answers = new ArrayList<>();
        if (jdbcBatches && requests.size() > 1) {
            if (wroteAll(connection, keys, steps)) {
                steps.forEach(step -> answers.add(step.answer()));
                return answers;
            }
            Rows.Snapshot now = rows.read(connection, keys);
            steps = withoutWritten(steps, keys, now, decide(requests, keys, decision, now));
        }
        long start = System.nanoTime();
        SQLException held = null;
        for (int i = 0; i < steps.size(); i++) {
            Step<A> step = steps.get(i);
            if (held != null && System.nanoTime() - start > patienceNanos) {
                answers.add(step.next() == null ? step.answer() : locked.apply(held));
                continue;
            }
            try {
                answers.add(written(connection, keys.get(i), step) ? step.answer() : null);
            } catch (SQLException e) {
                SqlFailures.Kind kind = failures.kind(e);
                if (kind == SqlFailures.Kind.LOCKED) {
                    held = e;
                    answers.add(locked.apply(e));
                } else if (kind == SqlFailures.Kind.RACE) {
                    answers.add(null);
                } else {
                    throw e;
                }
            }
        }
        return answers;
    }

    private static <Q, A> List<Step<A>> decide(
            List<Q> requests, List<DedupKey> keys, Decision<Q, A> decision, Rows.Snapshot snapshot) {
        List<Step<A>> steps = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            steps.add(decision.on(requests.get(i), snapshot.row(keys.get(i)), snapshot.now()));
        }
        return steps;
    }

    private <A> boolean wroteAll(Connection connection, List<DedupKey> keys, List<Step<A>> steps) throws SQLException {
        List<Rows.Change> changes = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Row next = steps.get(i).next();
            if (next != null) {
                changes.add(new Rows.Change(keys.get(i), steps.get(i).before(), next));
            }
        }
        try {
            return rows.writeAll(connection, changes);
        } catch (SQLException e) {
            SqlFailures.Kind kind = failures.kind(e);
            if (kind == SqlFailures.Kind.RACE || kind == SqlFailures.Kind.LOCKED) {
                return false; // how far the batch came is the driver's secret: look
            }
            throw e;
        }
    }

    /** The new steps, apart from those whose row has become what the old step wanted. */
    private static <A> List<Step<A>> withoutWritten(
            List<Step<A>> old, List<DedupKey> keys, Rows.Snapshot now, List<Step<A>> fresh) {
        List<Step<A>> steps = new ArrayList<>(old.size());
        for (int i = 0; i < old.size(); i++) {
            Row wanted = old.get(i).next();
            Row is = now.row(keys.get(i));
            boolean written = wanted != null && is != null && is.isSameAs(wanted);
            steps.add(written ? Step.unchanged(old.get(i).answer()) : fresh.get(i));
        }
        return steps;
    }

    private <A> boolean written(Connection connection, DedupKey key, Step<A> step) throws SQLException {
        return step.next() == null || rows.write(connection, new Rows.Change(key, step.before(), step.next()));
    }
}
