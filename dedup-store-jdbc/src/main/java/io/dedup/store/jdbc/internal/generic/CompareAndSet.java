package io.dedup.store.jdbc.internal.generic;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of many keys at once, decides about each, and writes the changes.
 *
 * <p>What was read decides nothing by itself, because another session may change the row before the write. Each write names
 * the columns that transitions change, with their values as read, and only a write that has found them so makes its answer
 * valid. If a driver doesn't say which writes of a batch were made, the rows are read again: a row that equals the result
 * of its write was written, and the others are decided anew.
 */
final class CompareAndSet {
    private final Rows rows;
    private final SqlErrors errors;
    private final long patienceNanos;
    private final boolean jdbcBatches;

    /**
     * Creates it.
     *
     * @param patience after that time, once a row was found locked, the remaining rows are not tried
     */
    CompareAndSet(Rows rows, SqlErrors errors, Duration patience, boolean jdbcBatches) {
        this.rows = rows;
        this.errors = errors;
        this.patienceNanos = patience.toNanos();
        this.jdbcBatches = jdbcBatches;
    }

    /**
     * The result of a decision.
     *
     * @param next the row to write in place of {@code before}, or null
     * @param answer valid once that is written
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

    /** Returns the results in the order of the requests; null if another session changed the row first. */
    <Q, A> List<@Nullable A> all(
            Connection connection,
            List<Q> requests,
            Function<Q, DedupKey> key,
            Decision<Q, A> decision,
            Function<@Nullable SQLException, A> locked)
            throws SQLException {
        List<DedupKey> keys = requests.stream().map(key).toList();
        List<Step<A>> steps = decide(requests, keys, decision, rows.read(connection, keys));
        if (!jdbcBatches || requests.size() == 1) {
            return singly(connection, keys, steps, locked);
        }
        List<Rows.Outcome> outcomes = writeAll(connection, keys, steps);
        if (outcomes.contains(Rows.Outcome.UNKNOWN)) {
            Rows.Snapshot now = rows.read(connection, keys);
            List<Step<A>> fresh = decide(requests, keys, decision, now);
            return singly(connection, keys, withoutMade(steps, outcomes, keys, now, fresh), locked);
        }
        List<@Nullable A> answers = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            answers.add(outcomes.get(i) == Rows.Outcome.MADE ? steps.get(i).answer() : null);
        }
        return answers;
    }

    private <A> List<@Nullable A> singly(
            Connection connection, List<DedupKey> keys, List<Step<A>> steps, Function<@Nullable SQLException, A> locked)
            throws SQLException {
        List<@Nullable A> answers = new ArrayList<>();
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
                FailureKind kind = errors.kind(e);
                if (kind == FailureKind.LOCKED) {
                    held = e;
                    answers.add(locked.apply(e));
                } else if (kind == FailureKind.RACE) {
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

    /** Returns the outcomes of all steps; a step without a change counts as made. */
    private <A> List<Rows.Outcome> writeAll(Connection connection, List<DedupKey> keys, List<Step<A>> steps)
            throws SQLException {
        List<Rows.Outcome> outcomes = new ArrayList<>(Collections.nCopies(steps.size(), Rows.Outcome.MADE));
        List<Rows.Change> changes = new ArrayList<>();
        List<Integer> positions = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Row next = steps.get(i).next();
            if (next != null) {
                changes.add(new Rows.Change(keys.get(i), steps.get(i).before(), next));
                positions.add(i);
            }
        }
        List<Rows.Outcome> written;
        try {
            written = rows.writeAll(connection, changes);
        } catch (SQLException e) {
            FailureKind kind = errors.kind(e);
            if (kind != FailureKind.RACE && kind != FailureKind.LOCKED) {
                throw e;
            }
            // The driver does not report how much of the batch was executed.
            written = Collections.nCopies(changes.size(), Rows.Outcome.UNKNOWN);
        }
        for (int i = 0; i < written.size(); i++) {
            outcomes.set(positions.get(i), written.get(i));
        }
        return outcomes;
    }

    /**
     * The new steps, without those that are already made. If the driver does not report which these are, the row shows
     * it: it equals the result of the old step. Another session can only have written an equal row at the same time of
     * the database's clock and with the same meaning, because a claim names its owner.
     */
    private static <A> List<Step<A>> withoutMade(
            List<Step<A>> old,
            List<Rows.Outcome> outcomes,
            List<DedupKey> keys,
            Rows.Snapshot now,
            List<Step<A>> fresh) {
        List<Step<A>> steps = new ArrayList<>(old.size());
        for (int i = 0; i < old.size(); i++) {
            Row wanted = old.get(i).next();
            Row is = now.row(keys.get(i));
            boolean made = wanted != null
                    && switch (outcomes.get(i)) {
                        case MADE -> true;
                        case TOO_LATE -> false;
                        case UNKNOWN -> is != null && is.isSameAs(wanted);
                    };
            steps.add(made ? Step.unchanged(old.get(i).answer()) : fresh.get(i));
        }
        return steps;
    }

    private <A> boolean written(Connection connection, DedupKey key, Step<A> step) throws SQLException {
        return step.next() == null || rows.write(connection, new Rows.Change(key, step.before(), step.next()));
    }
}
