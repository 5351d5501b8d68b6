package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One of the store's operations, for {@link BatchRunner}.
 *
 * @param name in error messages
 * @param size of what a request adds to a statement, in bytes, at most
 * @param call asks the database; see {@code Dialect}
 * @param error makes the answer of a request that has none
 * @param errorOf the other way round: null where the answer is one
 */
public record Operation<Q, A>(
        String name,
        Function<Q, DedupKey> key,
        ToIntFunction<Q> size,
        Call<Q, A> call,
        Function<DedupStoreException, A> error,
        Function<A, @Nullable DedupStoreException> errorOf) {

    /** Asks the database about some requests; null for those that are to be asked again. */
    public interface Call<Q, A> {
        List<@Nullable A> ask(Connection connection, List<Q> requests) throws SQLException;
    }
}
