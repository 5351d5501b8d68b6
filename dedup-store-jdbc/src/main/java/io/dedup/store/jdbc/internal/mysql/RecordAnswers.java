package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Binds the requests of {@link RecordWrites} and reads the server's answers. */
final class RecordAnswers {
    private RecordAnswers() {}

    static void bind(PreparedStatement statement, KeyFormat format, List<RecordRequest> requests, long mark)
            throws SQLException {
        int next = 1;
        for (RecordRequest request : requests) {
            statement.setBytes(next++, format.messageId(request.key()));
            statement.setBytes(next++, format.scope(request.key()));
            statement.setLong(next++, Micros.of(request.window()));
            statement.setBytes(next++, Row.bytes(request.fingerprint()));
            statement.setLong(next++, mark);
        }
    }

    static void bindKeys(PreparedStatement statement, KeyFormat format, Collection<DedupKey> keys) throws SQLException {
        int next = 1;
        for (DedupKey key : keys) {
            statement.setBytes(next++, format.messageId(key));
            statement.setBytes(next++, format.scope(key));
        }
    }

    /** The rows in their order; see {@link MySqlSql#RECORDED}. */
    static List<@Nullable RecordResult> read(
            ResultSet result, KeyFormat format, List<RecordRequest> requests, List<DedupKey> keys, long mark)
            throws SQLException {
        @Nullable RecordResult[] answers = new RecordResult[requests.size()];
        KeyIndex index = new KeyIndex(format, keys);
        while (result.next()) {
            int position = index.position(result, 1);
            answers[position] = WriteMark.isOf(mark, result.getLong(12))
                    ? new RecordResult.Written(result.getLong(5))
                    : blocked(result, requests.get(position));
        }
        return Arrays.asList(answers);
    }

    /**
     * A row, if it is the message's own: a session that has left strict mode would cut the ID to fit into a column that was made
     * narrower.
     */
    static ResultSet of(byte[] messageId, ResultSet row, int column) throws SQLException {
        if (!Arrays.equals(messageId, row.getBytes(column))) {
            throw new SQLException("the database returned a key that was not requested");
        }
        return row;
    }

    /** The current row, which was inserted or was there; null if a record may be written in its place. */
    static @Nullable RecordResult first(ResultSet result, RecordRequest request, long mark) throws SQLException {
        if (WriteMark.isOf(mark, result.getLong(12))) {
            return new RecordResult.Written(result.getLong(5));
        }
        boolean live = result.getLong(6) > 0;
        boolean expired = result.getLong(9) <= 0;
        Phase phase = Phase.of(result.getInt(3));
        boolean blocks = !expired && (phase == Phase.DONE || (phase.isOwned() && live));
        return blocks ? blocked(result, request) : null;
    }

    private static RecordResult blocked(ResultSet result, RecordRequest request) throws SQLException {
        Row row = new Row(
                Phase.of(result.getInt(3)),
                null,
                result.getInt(4),
                0,
                0,
                0,
                result.getLong(7),
                result.getLong(8),
                result.getString(10),
                result.getBytes(11));
        return RecordTransitions.blocked(row, request, result.getLong(6), result.getLong(9));
    }
}
