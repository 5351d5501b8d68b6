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
 * @param size the maximum number of bytes that a request adds to a statement
 * @param call runs requests in the database; see {@code Dialect}
 * @param error creates the result of a request that failed
 * @param locked the result of a single request whose row another session has locked; null if that is an error
 */
public record Operation<Q, A>(
        String name,
        Function<Q, DedupKey> key,
        ToIntFunction<Q> size,
        Call<Q, A> call,
        Function<DedupStoreException, A> error,
        @Nullable A locked) {

    Operation(
            String name,
            Function<Q, DedupKey> key,
            ToIntFunction<Q> size,
            Call<Q, A> call,
            Function<DedupStoreException, A> error) {
        this(name, key, size, call, error, null);
    }

    /** Runs requests; the result is null for those to repeat. */
    public interface Call<Q, A> {
        List<@Nullable A> ask(Connection connection, List<Q> requests) throws SQLException;
    }
}
