package io.dedup.store.jdbc.internal.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Splits a batch into pieces that fit into one statement each.
 *
 * @param maxBatch the maximum number of requests in a statement
 * @param statementSize the maximum size of a statement, except for a single request that is larger
 */
public record StatementPieces(int maxBatch, StatementSize statementSize) {
    /**
     * Returns the end of the piece that starts at {@code from}.
     *
     * @param size the number of bytes that a request adds to a statement
     */
    <Q> int end(ToIntFunction<Q> size, List<Q> requests, int from) {
        long most = statementSize.maxValues();
        long bytes = 0;
        int to = from;
        while (to < requests.size() && to - from < maxBatch) {
            bytes += size.applyAsInt(requests.get(to));
            if (to > from && bytes > most) {
                break;
            }
            to++;
        }
        return to;
    }

    /** All pieces. */
    public <Q> List<List<Q>> of(ToIntFunction<Q> size, List<Q> requests) {
        List<List<Q>> pieces = new ArrayList<>();
        int from = 0;
        while (from < requests.size()) {
            int to = end(size, requests, from);
            pieces.add(requests.subList(from, to));
            from = to;
        }
        return pieces;
    }
}
