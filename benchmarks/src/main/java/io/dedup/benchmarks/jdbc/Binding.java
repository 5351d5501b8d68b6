package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.IdSlots.Slot;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/** A parameter of a prepared statement, to be bound for other messages. Thread-safe. */
sealed interface Binding {
    void bind(PreparedStatement statement, List<String> ids) throws SQLException;

    /** {@code setString}. */
    record Text(int position, Slot slot) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setString(position, slot.text(ids));
        }
    }

    /** {@code setBytes}. */
    record Bytes(int position, Slot slot) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setBytes(position, slot.bytes(ids));
        }
    }

    /** {@code setLong}. */
    record LongValue(int position, long value) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setLong(position, value);
        }
    }

    /** {@code setInt}. */
    record IntValue(int position, int value) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setInt(position, value);
        }
    }

    /** {@code setNull}. */
    record Null(int position, int sqlType) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setNull(position, sqlType);
        }
    }

    /** {@code setArray} of byte arrays. */
    record BytesArray(int position, String type, List<Slot> elements) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            byte[][] values = new byte[elements.size()][];
            for (int i = 0; i < values.length; i++) {
                values[i] = elements.get(i).bytes(ids);
            }
            statement.setArray(position, statement.getConnection().createArrayOf(type, values));
        }
    }

    /** {@code setArray} of what is the same for all messages. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record ConstantArray(int position, String type, Object[] elements) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setArray(position, statement.getConnection().createArrayOf(type, elements));
        }
    }

    /** {@code setObject} of what is the same for all messages. */
    record Constant(int position, Object value) implements Binding {
        @Override
        public void bind(PreparedStatement statement, List<String> ids) throws SQLException {
            statement.setObject(position, value);
        }
    }
}
