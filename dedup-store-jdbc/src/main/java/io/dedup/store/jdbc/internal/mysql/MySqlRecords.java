package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Marker;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Records;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB writes, and returns what it wrote, without waiting for anybody; a single record is first inserted, see
 * {@link MariaDbInsert}. MySQL first asks for the locks of rows that are there, without waiting; then writes, which waits for
 * nobody but one who inserted a row in between; then reads.
 *
 * <p>A locked row undoes the statement, not the transaction (unless the server is told so, which is refused). What a plain
 * read shows to be done, or in flight by a lease, is answered by it then; the rest is written in halves.
 */
final class MySqlRecords implements RecordDialect {
    private static final String RETURNING = " RETURNING " + MySqlSql.RECORDED.replace("{t}", "");

    private final JdbcSettings settings;
    private final Statements statements;
    private final Statements timed;
    private final Rows rows;
    private final SqlErrors errors;
    private final MySqlWrites<CompleteRequest> complete;
    private final String limits;
    private final String noWait;
    private final boolean mariaDb;
    private final String one;
    private final MariaDbInsert insert;

    /**
     * @param limits what comes before a statement, to limit its time; may be empty
     * @param noWait the same, for one that doesn't wait for locks
     */
    MySqlRecords(
            JdbcSettings settings,
            Statements statements,
            Rows rows,
            SqlErrors errors,
            MySqlWrites<CompleteRequest> complete,
            String limits,
            String noWait,
            boolean mariaDb) {
        this.settings = settings;
        this.statements = statements;
        this.timed = new Statements(settings.queryTimeoutSeconds());
        this.rows = rows;
        this.errors = errors;
        this.complete = complete;
        this.limits = limits;
        this.noWait = noWait;
        this.mariaDb = mariaDb;
        this.insert = new MariaDbInsert(statements, noWait + MySqlSql.of(settings, MySqlSql.insertOne()));
        this.one = mariaDb ? noWait + MySqlSql.of(settings, MySqlSql.recordOne() + RETURNING) : "";
    }

    @Override
    public List<@Nullable RecordResult> claim(
            Connection connection, List<RecordRequest> requests, @Nullable Duration limit) throws SQLException {
        try {
            return together(connection, requests);
        } catch (SQLException e) {
            if (errors.kind(e) != FailureKind.LOCKED) {
                throw e;
            }
        }
        Map<DedupKey, RecordResult> answers = new HashMap<>();
        Rows.Snapshot snapshot =
                rows.read(connection, requests.stream().map(RecordRequest::key).toList());
        List<RecordRequest> open = new ArrayList<>();
        for (RecordRequest request : requests) {
            RecordResult refusal = Records.refusal(snapshot.row(request.key()), request, snapshot.now());
            if (refusal == null) {
                open.add(request);
            } else {
                answers.put(request.key(), refusal);
            }
        }
        if (open.size() == requests.size()) {
            halves(connection, open, answers);
        } else if (!open.isEmpty()) {
            apart(connection, open, answers);
        }
        List<@Nullable RecordResult> list = new ArrayList<>(requests.size());
        requests.forEach(request -> list.add(answers.get(request.key())));
        return list;
    }

    private void apart(Connection connection, List<RecordRequest> requests, Map<DedupKey, RecordResult> answers)
            throws SQLException {
        try {
            List<@Nullable RecordResult> some = together(connection, requests);
            for (int i = 0; i < some.size(); i++) {
                RecordResult answer = some.get(i);
                if (answer != null) {
                    answers.put(requests.get(i).key(), answer);
                }
            }
        } catch (SQLException e) {
            if (errors.kind(e) != FailureKind.LOCKED) {
                throw e;
            }
            halves(connection, requests, answers);
        }
    }

    /** After one of these was found locked. */
    private void halves(Connection connection, List<RecordRequest> requests, Map<DedupKey, RecordResult> answers)
            throws SQLException {
        if (requests.size() == 1) {
            answers.put(requests.get(0).key(), Records.inFlight());
            return;
        }
        int half = requests.size() / 2;
        apart(connection, requests.subList(0, half), answers);
        apart(connection, requests.subList(half, requests.size()), answers);
    }

    private List<@Nullable RecordResult> together(Connection connection, List<RecordRequest> requests)
            throws SQLException {
        if (!mariaDb || requests.size() > 1) {
            return all(connection, requests);
        }
        RecordResult written = insert.tryIfNew(connection, requests.get(0));
        if (written != null) {
            return Collections.singletonList(written);
        }
        List<@Nullable RecordResult> answers = all(connection, requests);
        insert.expectNew(answers.get(0) instanceof RecordResult.Written);
        return answers;
    }

    private List<@Nullable RecordResult> all(Connection connection, List<RecordRequest> requests) throws SQLException {
        List<DedupKey> keys = requests.stream().map(RecordRequest::key).toList();
        if (!mariaDb) {
            lock(connection, keys);
        }
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, sql(requests.size()))) {
            bind(statement, requests, mark);
            if (mariaDb) {
                try (ResultSet result = statement.executeQuery()) {
                    return read(result, requests, keys, mark);
                }
            }
            statement.executeUpdate();
        }
        return lookedUp(connection, requests, keys, mark);
    }

    private String sql(int requests) {
        if (!mariaDb) {
            return noWait + MySqlSql.of(settings, MySqlSql.record(requests));
        }
        return requests == 1 ? one : noWait + MySqlSql.of(settings, MySqlSql.record(requests) + RETURNING);
    }

    /** Fails where somebody has one of the rows. */
    private void lock(Connection connection, List<DedupKey> keys) throws SQLException {
        String sql = MySqlSql.of(settings, MySqlSql.ofKeys("SELECT t.attempt", keys.size()) + " FOR UPDATE NOWAIT");
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            bindKeys(statement, keys);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    // all of them, for drivers that fetch as they are read
                }
            }
        }
    }

    static void bind(PreparedStatement statement, List<RecordRequest> requests, long mark) throws SQLException {
        int next = 1;
        for (RecordRequest request : requests) {
            statement.setBytes(next++, KeyBytes.messageId(request.key()));
            statement.setBytes(next++, KeyBytes.scope(request.key()));
            statement.setLong(next++, Micros.of(request.window()));
            statement.setBytes(next++, Row.bytes(request.fingerprint()));
            statement.setLong(next++, mark);
        }
    }

    private static void bindKeys(PreparedStatement statement, Collection<DedupKey> keys) throws SQLException {
        int next = 1;
        for (DedupKey key : keys) {
            statement.setBytes(next++, KeyBytes.messageId(key));
            statement.setBytes(next++, KeyBytes.scope(key));
        }
    }

    /** Nobody can have changed the rows since: the write has locked each of them. */
    private List<@Nullable RecordResult> lookedUp(
            Connection connection, List<RecordRequest> requests, List<DedupKey> keys, long mark) throws SQLException {
        String sql =
                MySqlSql.of(settings, MySqlSql.ofKeys("SELECT " + MySqlSql.RECORDED.replace("{t}", "t."), keys.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            bindKeys(statement, keys);
            try (ResultSet result = statement.executeQuery()) {
                return read(result, requests, keys, mark);
            }
        }
    }

    private static List<@Nullable RecordResult> read(
            ResultSet result, List<RecordRequest> requests, List<DedupKey> keys, long mark) throws SQLException {
        @Nullable RecordResult[] answers = new RecordResult[requests.size()];
        KeyIndex index = new KeyIndex(keys);
        while (result.next()) {
            int position = index.position(result, 1);
            answers[position] = WriteMark.isOf(mark, result.getLong(12))
                    ? new RecordResult.Written(result.getLong(5))
                    : blocked(result, requests.get(position));
        }
        return Arrays.asList(answers);
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
        return Records.blocked(row, request, result.getLong(6), result.getLong(9));
    }

    /** Waits for a row as long as the store does: a heartbeat has it for a moment. */
    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        return complete.write(connection, limits, requests);
    }

    @Override
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        String sql = limits + MySqlSql.of(settings, MySqlSql.ofKeys("DELETE t", keys.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            bindKeys(statement, keys);
            statement.executeUpdate();
        }
    }

    /** With a new mark, so that no driver can take the row for one that didn't change. */
    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        String mark = ", write_mark = " + WriteMark.next();
        return RecordDialect.keepResult(connection, statements, settings.table(), mark, key, result);
    }

    @Override
    public Marker mark(Connection connection) throws SQLException {
        return Marker.put(connection, timed, settings.table());
    }

    @Override
    public void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        RecordDialect.checkWritten(connection, timed, settings.table(), written);
    }

    @Override
    public boolean needsReadCommitted() {
        return true;
    }

    @Override
    public long checkServer(Connection connection) throws SQLException {
        MySqlServer.check(connection, timed);
        return Long.MAX_VALUE;
    }
}
