package io.dedup.store.jdbc.internal.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Cuts a batch into pieces, each of which one statement takes.
 *
 * @param maxBatch how many requests a statement takes at most
 * @param statementSize how many bytes it takes, beside a request that is larger by itself
 */
public record StatementPieces(int maxBatch, StatementSize statementSize) {
    /**
     * The end of the piece that begins at {@code from}.
     *
     * @param size of what a request adds to a statement, in bytes
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
