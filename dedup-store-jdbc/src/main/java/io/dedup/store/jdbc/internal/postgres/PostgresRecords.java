package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.bytes;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.number;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.text;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.StatementWatch;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.RecordStatements;
import io.dedup.store.jdbc.internal.dialect.UndoneTransaction;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.RecordTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement per call for messages that are what was expected, up to three for others. No statement raises an error that
 * other sessions could cause, because an error would end the transaction.
 */
final class PostgresRecords implements RecordDialect {
    private final KeyFormat keys;
    private final RecordStatements shared;
    private final RecordLock lock;
    private final String serverQuery;
    private final Statements statements;
    /** For statements that limit themselves, because each JDBC timeout wakes up a timer. */
    private final Statements unwatched = new Statements(0);

    private final List<PostgresColumn<RecordRequest>> columns;
    private final JdbcSettings settings;
    private final PurgeClock clock;
    private final StatementWatch watch;
    /** Created again for another version of the server. */
    private volatile @Nullable Form form;

    private final PostgresRequests<CompleteRequest> complete;

    /**
     * How many of the last messages were not new, more or less: 0 to {@link #MOST_OTHERS}, one up for each that was not and one
     * down for each that was. Few messages are duplicates, and those come in runs (a redelivered poll, a replay). A
     * duplicate among new messages doesn't change what is expected of the next one; two in a row do.
     */
    private volatile int others;

    private static final int MOST_OTHERS = 3;

    /** The statements for one server. */
    private record Form(PostgresLimits limits, PostgresInsert insert, String block, String one, String many) {}

    /** @param complete the columns of {@link PostgresSql#COMPLETE} */
    PostgresRecords(
            JdbcSettings settings,
            Statements statements,
            List<PostgresColumn<CompleteRequest>> complete,
            StatementWatch watch,
            PurgeClock clock) {
        this.clock = clock;
        this.watch = watch;
        this.shared = new RecordStatements(settings, statements);
        this.serverQuery = PostgresSql.of(settings, PostgresRecordSql.SERVER);
        this.statements = statements;
        this.keys = settings.keys();
        this.lock = new RecordLock(settings.table(), keys);
        this.columns = List.of(
                bytes("message_id", request -> keys.messageId(request.key())),
                bytes("scope", request -> keys.scope(request.key())),
                number("length", request -> Micros.of(request.window())),
                text("fingerprint", request -> Row.text(request.fingerprint())),
                number("lock_id", request -> lock.of(request.key())));
        this.settings = settings;
        this.complete = PostgresRequests.inTransaction(settings, PostgresSql.COMPLETE, complete);
    }

    private Form form(PostgresLimits limits) {
        return new Form(
                limits,
                new PostgresInsert(
                        settings, limits, limits.boundThemselves() ? unwatched : statements, statements, lock, clock),
                PostgresRecordSql.block(settings, limits),
                PostgresRecordSql.one(settings, limits),
                PostgresRecordSql.many(settings, limits).replace("{requests}", PostgresRequests.arrays(columns)));
    }

    private Form form(Connection connection) throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        Form known = form;
        if (known == null || known.limits().version() != version) {
            known = form(PostgresLimits.unknown(version));
            form = known;
        }
        return known;
    }

    @Override
    public List<@Nullable RecordResult> claim(
            Connection connection, List<RecordRequest> requests, @Nullable Duration limit) throws SQLException {
        Form form = form(connection);
        return requests.size() == 1
                ? Collections.singletonList(claimOne(connection, form, requests.get(0), limit))
                : claimAll(connection, form, requests, limit);
    }

    /** Asks in the order in which an answer is expected; each statement leaves to the next what it isn't for. */
    private @Nullable RecordResult claimOne(
            Connection connection, Form form, RecordRequest request, @Nullable Duration limit) throws SQLException {
        boolean newExpected = isNewExpected();
        RecordResult answer = newExpected
                ? form.insert().write(connection, request, millis(limit))
                : blocked(connection, form.block(), request);
        if (answer == null) {
            answer = newExpected
                    ? blocked(connection, form.block(), request)
                    : form.insert().write(connection, request, millis(limit));
        }
        if (answer == null) {
            answer = ask(connection, form.one(), request, limit);
        }
        learn(answer instanceof RecordResult.Written);
        return answer;
    }

    private boolean isNewExpected() {
        return others <= MOST_OTHERS / 2;
    }

    /** Threads may overwrite each other's count: it is an expectation. */
    private void learn(boolean wasNew) {
        int now = others;
        int next = wasNew ? Math.max(now - 1, 0) : Math.min(now + 1, MOST_OTHERS);
        if (next != now) { // seldom: a write that all threads see
            others = next;
        }
    }

    /** Writes the new ones first, unless most of the batches before had none, and asks about the others then. */
    private List<@Nullable RecordResult> claimAll(
            Connection connection, Form form, List<RecordRequest> requests, @Nullable Duration limit)
            throws SQLException {
        if (!isNewExpected() || !PostgresInsert.fits(requests)) {
            List<@Nullable RecordResult> answers = claimMany(connection, form.many(), requests, limit);
            learn(2
                            * answers.stream()
                                    .filter(RecordResult.Written.class::isInstance)
                                    .count()
                    >= answers.size());
            return answers;
        }
        List<@Nullable RecordResult> answers = form.insert().writeAll(connection, requests, millis(limit));
        List<RecordRequest> open = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (answers.get(i) == null) {
                open.add(requests.get(i));
            }
        }
        learn(2 * open.size() <= requests.size());
        if (!open.isEmpty()) {
            Iterator<@Nullable RecordResult> rest =
                    rest(connection, form, open, limit).iterator();
            answers.replaceAll(answer -> answer == null ? rest.next() : answer);
        }
        return answers;
    }

    private List<@Nullable RecordResult> rest(
            Connection connection, Form form, List<RecordRequest> open, @Nullable Duration limit) throws SQLException {
        return open.size() == 1
                ? Collections.singletonList(ask(connection, form.one(), open.get(0), limit))
                : claimMany(connection, form.many(), open, limit);
    }

    /** Null if nothing blocks the record. */
    private @Nullable RecordResult blocked(Connection connection, String sql, RecordRequest request)
            throws SQLException {
        try (PreparedStatement statement = unwatched.prepare(connection, sql);
                StatementWatch.Watched ignored = watch.begin(statement)) {
            statement.setBytes(1, keys.messageId(request.key()));
            statement.setBytes(2, keys.scope(request.key()));
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? answer(result, request) : null;
            }
        }
    }

    private @Nullable RecordResult ask(
            Connection connection, String sql, RecordRequest request, @Nullable Duration limit) throws SQLException {
        byte[] id = keys.messageId(request.key());
        byte[] scope = keys.scope(request.key());
        try (PreparedStatement statement = unwatched.prepare(connection, sql)) {
            statement.setLong(1, lock.of(scope, id));
            statement.setString(2, millis(limit));
            statement.setBytes(3, id);
            statement.setBytes(4, scope);
            statement.setBytes(5, id);
            statement.setBytes(6, scope);
            statement.setString(7, Row.text(request.fingerprint()));
            statement.setLong(8, Micros.of(request.window()));
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                return isWritten(result) ? written(result) : answer(result, request);
            }
        }
    }

    private List<@Nullable RecordResult> claimMany(
            Connection connection, String sql, List<RecordRequest> requests, @Nullable Duration limit)
            throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setString(1, millis(limit));
            for (int i = 0; i < columns.size(); i++) {
                columns.get(i).bind(connection, statement, i + 2, requests);
            }
            try (ResultSet result = statement.executeQuery()) {
                @Nullable RecordResult[] answers = new RecordResult[requests.size()];
                KeyIndex index = new KeyIndex(
                        keys, requests.stream().map(RecordRequest::key).toList());
                while (result.next()) {
                    if (isWritten(result)) {
                        answers[index.position(result, 12)] = written(result);
                    } else {
                        int position = result.getInt(11) - 1;
                        answers[position] = answer(result, requests.get(position));
                    }
                }
                return Arrays.asList(answers);
            }
        }
    }

    /** A limit in PostgreSQL's format; 0 means none. */
    private static String millis(@Nullable Duration limit) {
        return limit == null ? "0" : Math.min(Math.max(limit.toMillis(), 1), Integer.MAX_VALUE) + "ms";
    }

    private static boolean isWritten(ResultSet result) throws SQLException {
        return result.getObject(1) != null;
    }

    private static RecordResult written(ResultSet result) throws SQLException {
        return new RecordResult.Written(result.getLong(1));
    }

    /** The result of a request; null if a rival was faster and its row could not be read yet. */
    private static @Nullable RecordResult answer(ResultSet result, RecordRequest request) throws SQLException {
        int phase = result.getInt(3);
        if (result.wasNull()) {
            return result.getBoolean(2)
                    ? null
                    : RecordTransitions.inFlight(); // another session holds the advisory lock
        }
        Row row = new Row(
                Phase.of(phase),
                null,
                result.getInt(4),
                0,
                0,
                0,
                result.getLong(6),
                result.getLong(7),
                result.getString(9),
                result.getBytes(10));
        return RecordTransitions.blocked(row, request, result.getLong(5), result.getLong(8));
    }

    @Override
    public boolean limitsTransactions() {
        return true;
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        return complete.write(connection, statements, requests);
    }

    @Override
    public void remove(Connection connection, Collection<DedupKey> keys) throws SQLException {
        shared.remove(connection, keys);
    }

    @Override
    public boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException {
        return shared.keepResult(connection, "", key, result);
    }

    @Override
    public void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException {
        String state = PostgresState.of(connection);
        if (state == null) {
            try (PreparedStatement statement = statements.prepare(connection, "SELECT 1")) {
                statement.execute(); // fails if the transaction has failed
            }
            shared.checkWritten(connection, written);
        } else if (state.equals("FAILED")) {
            throw new SQLException(
                    "an earlier statement of the transaction failed, so its commit would roll back", "25P02");
        } else if (state.equals("IDLE") && written != null) {
            throw UndoneTransaction.failure();
        }
    }

    /** All advisory locks of the server share one table with its other locks. */
    @Override
    public long checkServer(Connection connection) throws SQLException {
        int version = connection.getMetaData().getDatabaseMajorVersion();
        try (PreparedStatement statement = statements.prepare(connection, serverQuery);
                ResultSet result = statement.executeQuery()) {
            result.next();
            clock.seen(result.getLong(2));
            form = form(PostgresLimits.read(version, result, 3));
            return result.getLong(1);
        }
    }
}
