package io.dedup.store.jdbc;

import static io.dedup.store.jdbc.PostgresColumn.bytes;
import static io.dedup.store.jdbc.PostgresColumn.number;
import static io.dedup.store.jdbc.PostgresColumn.text;

import io.dedup.DedupKey;
import io.dedup.internal.Utf8;
import io.dedup.store.CompleteRequest;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.WriteResult;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** One statement per call; nothing in it raises an error that others could cause, as that would end the transaction. */
final class PostgresRecords implements RecordDialect {
    /** Occurs in no UTF-8. */
    private static final byte SEPARATOR = (byte) 0xff;

    private final PostgresState state = new PostgresState();
    private final TableName table;
    private final Statements statements;
    private final PostgresRequests<RecordRequest> claim;
    private final PostgresRequests<CompleteRequest> complete;

    /** @param complete the columns of {@link PostgresSql#COMPLETE} */
    PostgresRecords(JdbcSettings settings, Statements statements, List<PostgresColumn<CompleteRequest>> complete) {
        this.table = settings.table();
        this.statements = statements;
        this.claim = PostgresRequests.inTransaction(
                settings,
                PostgresSql.RECORD,
                List.of(
                        bytes("message_id", request -> KeyBytes.messageId(request.key())),
                        bytes("scope", request -> KeyBytes.scope(request.key())),
                        number("length", request -> Micros.of(request.window())),
                        text(
                                "fingerprint",
                                request -> request.fingerprint() == null
                                        ? null
                                        : request.fingerprint().value()),
                        number("lock_id", request -> lockId(table, request.key()))));
        this.complete = PostgresRequests.inTransaction(settings, PostgresSql.COMPLETE, complete);
    }

    /** The same in every process, and nobody else's: 64 bits, as two keys that shared a lock would hold each other up. */
    static long lockId(TableName table, DedupKey key) {
        byte[] name = KeyBytes.utf8(table.name().toLowerCase(Locale.ROOT));
        byte[] scope = KeyBytes.scope(key);
        byte[] id = KeyBytes.messageId(key);
        ByteBuffer all = ByteBuffer.allocate(name.length + scope.length + id.length + 2);
        all.put(name).put(SEPARATOR).put(scope).put(SEPARATOR).put(id);
        return ByteBuffer.wrap(Utf8.sha256(all.array())).getLong();
    }

    @Override
    public List<@Nullable RecordResult> claim(Connection connection, List<RecordRequest> requests) throws SQLException {
        try (PreparedStatement statement = claim.prepare(connection, statements, requests);
                ResultSet result = statement.executeQuery()) {
            @Nullable RecordResult[] answers = new RecordResult[requests.size()];
            KeyIndex index =
                    new KeyIndex(requests.stream().map(RecordRequest::key).toList());
            while (result.next()) {
                int ord = result.getInt(1);
                if (ord == 0) { // returned by the write itself
                    answers[index.position(result, 2)] = new RecordResult.Written(result.getLong(4));
                } else {
                    answers[ord - 1] = answer(result, requests.get(ord - 1));
                }
            }
            return Arrays.asList(answers);
        }
    }

    private static RecordResult answer(ResultSet result, RecordRequest request) throws SQLException {
        int phase = result.getInt(5);
        if (result.wasNull()) { // the advisory lock is somebody else's
            return Records.inFlight();
        }
        Row row = new Row(
                Phase.of(phase),
                null,
                result.getInt(6),
                0,
                0,
                0,
                result.getLong(8),
                result.getLong(9),
                result.getString(11),
                result.getBytes(12));
        return Records.blocked(row, request, result.getLong(7), result.getLong(10));
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        return PostgresDialect.write(connection, statements, complete, requests);
    }

    @Override
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        RecordDialect.remove(connection, statements, table, keys);
    }

    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        return RecordDialect.keepResult(connection, statements, table, "", key, result);
    }

    @Override
    public void checkWhole(Connection connection, @Nullable DedupKey written) throws SQLException {
        Boolean failed = state.hasFailed(connection);
        if (failed == null) {
            try (PreparedStatement statement = statements.prepare(connection, "SELECT 1")) {
                statement.execute(); // which fails by itself
            }
        } else if (failed) {
            throw new SQLException("something in the transaction has failed: its commit would roll it back", "25P02");
        }
    }

    @Override
    public boolean needsReadCommitted() {
        return true;
    }

    /** Advisory locks share one table with all others of the server. */
    @Override
    public long checkServer(Connection connection) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, PostgresSql.LOCK_TABLE);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }
}
