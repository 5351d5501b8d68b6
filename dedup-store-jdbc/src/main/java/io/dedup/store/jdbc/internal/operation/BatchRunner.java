package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ResultTooLargeException;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Splits batches, repeats requests that lost a race, and runs requests one by one if they cannot run together because
 * of a locked row or a statement that is too large. Every request gets a result, possibly an error.
 */
final class BatchRunner {
    private final SqlFailures failures;
    private final StatementPieces pieces;
    private final long patienceNanos;

    /**
     * Creates a runner.
     *
     * @param patience how long the requests of a batch are run one by one after one of them was found locked
     */
    BatchRunner(SqlFailures failures, StatementPieces pieces, Duration patience) {
        this.failures = failures;
        this.pieces = pieces;
        this.patienceNanos = patience.toNanos();
    }

    /** The answers in the order of the requests. */
    <Q, A> List<A> run(Operation<Q, A> operation, Connection connection, List<Q> requests) {
        List<Q> sorted = requests;
        if (requests.size() > 1) {
            sorted = new ArrayList<>(requests);
            sorted.sort(Comparator.comparing(operation.key(), KeyBytes.ORDER));
        }
        Run<Q, A> run = new Run<>(operation, connection, requests.size());
        int from = 0;
        while (from < sorted.size()) {
            int to = pieces.end(operation.size(), sorted, from);
            if (!run.piece(sorted.subList(from, to))) {
                run.failAll(sorted.subList(to, sorted.size()));
                break;
            }
            from = to;
        }
        List<A> answers = new ArrayList<>(requests.size());
        requests.forEach(request -> answers.add(run.answer(operation.key().apply(request))));
        return answers;
    }

    /** The pieces of one call. */
    private final class Run<Q, A> {
        private final Operation<Q, A> operation;
        private final Connection connection;
        private final Map<DedupKey, A> answers;
        private @Nullable SQLException last;

        Run(Operation<Q, A> operation, Connection connection, int size) {
            this.operation = operation;
            this.connection = connection;
            this.answers = new HashMap<>(2 * size);
        }

        A answer(DedupKey key) {
            A answer = answers.get(key);
            if (answer == null) {
                throw new IllegalStateException(operation.name() + " returned no answer for a request");
            }
            return answer;
        }

        /** Runs one piece; returns whether the connection can be used further. */
        boolean piece(List<Q> requests) {
            List<Q> open = requests;
            last = null;
            for (int round = 0; round < RaceRetry.MAX_ROUNDS; round++) {
                try {
                    open = ask(open);
                    if (open.isEmpty()) {
                        return true;
                    }
                } catch (SQLException e) {
                    last = e;
                    FailureKind kind = failures.errors().kind(e);
                    boolean ofOne = kind == FailureKind.LOCKED || kind == FailureKind.TOO_LARGE;
                    if (ofOne && open.size() > 1) {
                        return singly(open);
                    }
                    A locked = operation.locked();
                    if (kind == FailureKind.LOCKED && locked != null) {
                        answers.put(operation.key().apply(open.get(0)), locked);
                        return true;
                    }
                    if (kind != FailureKind.RACE) {
                        fail(open, failed(e, kind));
                        return kind != FailureKind.NO_ANSWER;
                    }
                }
                RaceRetry.lost(round);
            }
            fail(open, failures.raced(operation.name(), RaceRetry.MAX_ROUNDS, last));
            return true;
        }

        /**
         * If a single request is too large for the server, that is because of its result, since everything else is
         * split.
         */
        private DedupStoreException failed(SQLException e, FailureKind kind) {
            return kind == FailureKind.TOO_LARGE
                    ? new ResultTooLargeException(failures.message(operation.name(), e), e)
                    : failures.failed(operation.name(), e);
        }

        private List<Q> ask(List<Q> requests) throws SQLException {
            List<@Nullable A> some = operation.call().ask(connection, requests);
            List<Q> open = List.of();
            for (int i = 0; i < requests.size(); i++) {
                A answer = some.get(i);
                if (answer != null) {
                    answers.put(operation.key().apply(requests.get(i)), answer);
                } else {
                    open = open.isEmpty() ? new ArrayList<>() : open;
                    open.add(requests.get(i));
                }
            }
            return open;
        }

        /**
         * Runs requests one by one, because one of them is locked or too large, for as long as one statement may take.
         */
        private boolean singly(List<Q> requests) {
            SQLException locked = last;
            long start = System.nanoTime();
            for (int i = 0; i < requests.size(); i++) {
                if (System.nanoTime() - start > patienceNanos) {
                    fail(
                            requests.subList(i, requests.size()),
                            locked != null && failures.errors().kind(locked) == FailureKind.TOO_LARGE
                                    ? failures.failed(operation.name(), locked)
                                    : failures.locked(operation.name(), locked));
                    return true;
                }
                if (!piece(requests.subList(i, i + 1))) {
                    failAll(requests.subList(i + 1, requests.size()));
                    return false;
                }
            }
            return true;
        }

        /** Fails requests after the connection was lost. */
        void failAll(List<Q> requests) {
            if (!requests.isEmpty() && last != null) {
                fail(requests, failures.failed(operation.name(), last));
            }
        }

        private void fail(List<Q> requests, DedupStoreException cause) {
            requests.forEach(request -> answers.put(
                    operation.key().apply(request), operation.error().apply(cause)));
        }
    }
}
