package io.dedup.store.jdbc.internal.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One value of every request: a parameter for a single request, an array for many.
 *
 * @param type PostgreSQL's, of a single value
 * @param array makes an array of the class that the driver sends in binary
 */
record PostgresColumn<Q>(
        String name, String type, int jdbcType, IntFunction<Object[]> array, Function<Q, @Nullable Object> value) {

    static <Q> PostgresColumn<Q> bytes(String name, Function<Q, byte @Nullable []> value) {
        return new PostgresColumn<>(name, "bytea", Types.BINARY, byte[][]::new, value::apply);
    }

    static <Q> PostgresColumn<Q> text(String name, Function<Q, @Nullable String> value) {
        return new PostgresColumn<>(name, "text", Types.VARCHAR, String[]::new, value::apply);
    }

    static <Q> PostgresColumn<Q> number(String name, ToLongFunction<Q> value) {
        return new PostgresColumn<>(name, "bigint", Types.BIGINT, Long[]::new, value::applyAsLong);
    }

    void bind(Connection connection, PreparedStatement statement, int index, List<Q> requests) throws SQLException {
        if (requests.size() == 1) {
            Object one = value.apply(requests.get(0));
            if (one == null) {
                statement.setNull(index, jdbcType);
            } else {
                statement.setObject(index, one, jdbcType);
            }
            return;
        }
        Object[] values = array.apply(requests.size());
        for (int i = 0; i < values.length; i++) {
            values[i] = value.apply(requests.get(i));
        }
        statement.setArray(index, connection.createArrayOf(type, values));
    }
}
