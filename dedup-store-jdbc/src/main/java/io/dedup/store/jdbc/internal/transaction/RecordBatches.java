package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.operation.Operation;
import io.dedup.store.jdbc.internal.operation.RaceRetry;
import io.dedup.store.jdbc.internal.operation.StatementPieces;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs the requests of a batch in one transaction: in the order of their keys, so that two transactions cannot
 * deadlock; in pieces that fit into a statement; and again if another session was faster.
 */
final class RecordBatches {
    private final TransactionCalls calls;
    private final StatementPieces pieces;

    RecordBatches(TransactionCalls calls, StatementPieces pieces) {
        this.calls = calls;
        this.pieces = pieces;
    }

    /**
     * Returns the results in the order of the requests.
     *
     * @param raced creates the result of a request that lost every race
     */
    <Q, A> List<A> all(
            String operation,
            List<Q> requests,
            Function<Q, DedupKey> key,
            ToIntFunction<Q> size,
            Operation.Call<Q, A> call,
            Function<Q, A> raced) {
        if (requests.size() == 1) {
            return List.of(one(operation, requests, call, raced));
        }
        List<Q> sorted = new ArrayList<>(requests);
        sorted.sort(Comparator.comparing(key, KeyBytes.ORDER));
        Map<DedupKey, A> answers = new HashMap<>();
        for (List<Q> piece : pieces.of(size, sorted)) {
            List<Q> open = piece;
            for (int round = 0; round < RaceRetry.MAX_ROUNDS && !open.isEmpty(); round++) {
                List<Q> asked = open;
                List<@Nullable A> some = calls.run(operation, on -> call.ask(on, asked));
                open = new ArrayList<>();
                for (int i = 0; i < some.size(); i++) {
                    A answer = some.get(i);
                    if (answer == null) {
                        open.add(asked.get(i));
                    } else {
                        answers.put(key.apply(asked.get(i)), answer);
                    }
                }
                if (!open.isEmpty()) {
                    RaceRetry.lost(round);
                }
            }
            open.forEach(request -> answers.put(key.apply(request), raced.apply(request)));
        }
        List<A> list = new ArrayList<>(requests.size());
        for (Q request : requests) {
            A answer = answers.get(key.apply(request));
            if (answer == null) {
                throw new IllegalStateException(operation + " returned no answer for a request");
            }
            list.add(answer);
        }
        return list;
    }

    private <Q, A> A one(String operation, List<Q> one, Operation.Call<Q, A> call, Function<Q, A> raced) {
        for (int round = 0; round < RaceRetry.MAX_ROUNDS; round++) {
            A answer = calls.run(operation, on -> call.ask(on, one)).get(0);
            if (answer != null) {
                return answer;
            }
            RaceRetry.lost(round);
        }
        return raced.apply(one.get(0));
    }

    /** The keys in the order in which every transaction accesses them, in pieces that fit into a statement. */
    List<List<DedupKey>> piecesOf(List<DedupKey> keys) {
        List<DedupKey> sorted = new ArrayList<>(keys);
        sorted.sort(KeyBytes.ORDER);
        return pieces.of(key -> StatementSize.ofRequest(key, null), sorted);
    }
}
