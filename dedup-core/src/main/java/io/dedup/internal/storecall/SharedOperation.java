package io.dedup.internal.storecall;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An operation of the store whose calls may be shared.
 *
 * @param key of a request
 * @param repetition of a request that may have been applied
 * @param error what an answer reports instead of a result; null for nothing
 * @param failure the answer that reports an error
 */
record SharedOperation<Q, A>(
        Function<List<Q>, List<A>> call,
        Function<Q, DedupKey> key,
        UnaryOperator<Q> repetition,
        Function<A, @Nullable DedupStoreException> error,
        Function<DedupStoreException, A> failure) {
    List<A> send(List<Q> requests) {
        return call.apply(requests);
    }

    /**
     * Sends several requests. Reading what this returns cannot fail.
     *
     * @throws RuntimeException if it cannot be known which answer belongs to which request
     */
    List<A> sendAll(List<Q> requests) {
        List<A> answers = List.copyOf(send(requests)); // throws if there is null among them
        if (answers.size() != requests.size()) {
            throw new IllegalStateException(
                    "the store returned " + answers.size() + " answers to " + requests.size() + " requests");
        }
        return answers;
    }

    /** Whether the store has answered any request. Needs no memory. */
    boolean hasAnswered(List<A> answers) {
        for (int i = 0; i < answers.size(); i++) {
            A answer = answers.get(i);
            if (answer != null && error.apply(answer) == null) {
                return true;
            }
        }
        return false;
    }
}
