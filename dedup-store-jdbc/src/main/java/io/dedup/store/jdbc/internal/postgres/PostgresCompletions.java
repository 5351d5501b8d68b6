package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.bytes;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.text;

import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Completes messages of one topic that have no results, or of one owner that all have one. Takes what they share once, and returns only those that weren't written:
 * a row for each that was costs the server a third of the statement. Reads the clock for each row, so that a window does not lose
 * the time for which the statement has waited for a row before it. Thread-safe.
 */
final class PostgresCompletions {
    private static final String COMPLETE = """
            WITH req AS MATERIALIZED ({requests}),
            written AS (
                UPDATE {table} t SET
                    state = 4, owner = NULL, deaths = 0, lease_until = {no_lease}, completed_at = r.now, expires_at = {end},
                    purge_hour = CASE WHEN t.purge_hour - ? BETWEEN 0 AND 2 THEN t.purge_hour ELSE ? END, result = {result}
                FROM (SELECT q.*, {now} AS now FROM req q OFFSET 0) r
                WHERE t.message_id = r.message_id AND t.scope = ? AND t.owner = r.owner AND t.state IN (1, 2)
                    AND t.expires_at > {now}
                RETURNING r.ord)
            SELECT r.ord FROM req r
            WHERE (SELECT count(*) FROM written) < ? AND r.ord NOT IN (SELECT w.ord FROM written w)
            """;

    /**
     * A form of the statement.
     *
     * @param ofOneOwner for requests that share their owner
     * @param withResults for those that also have a result each
     */
    private record Form(ClockedSql ofOneOwner, ClockedSql ofOwners, ClockedSql withResults) {
        static Form of(JdbcSettings settings, List<PostgresColumn<CompleteRequest>> source, String statement) {
            ClockedSql sql = ClockedSql.of(settings, statement.replace("{result}", "NULL"));
            ClockedSql results = ClockedSql.of(settings, statement.replace("{result}", "r.result"));
            return new Form(
                    sql.replace("{requests}", PostgresRequests.ofOneOwner(settings)),
                    sql.replace("{requests}", PostgresRequests.arrays(source, PostgresRequests.lockTimeout(settings))),
                    results.replace("{requests}", PostgresRequests.ofOneOwnerWithResults(settings)));
        }
    }

    private final KeyFormat keys;
    private final List<PostgresColumn<CompleteRequest>> source;
    private final PostgresColumn<CompleteRequest> results = bytes("result", CompleteRequest::result);
    private final Form withEnd;
    private final Form forever;
    private final Statements statements;
    private final PurgeClock clock;

    PostgresCompletions(JdbcSettings settings, Statements statements, PurgeClock clock) {
        this.keys = settings.keys();
        this.source = List.of(
                bytes("message_id", request -> keys.messageId(request.claim().key())),
                text("owner", request -> request.claim().owner().value()));
        this.withEnd = Form.of(settings, source, COMPLETE.replace("{end}", "r.now + ?"));
        this.forever = Form.of(settings, source, COMPLETE.replace("{end}", "{never}"));
        this.statements = statements;
        this.clock = clock;
    }

    /** Whether the requests have what the statement takes once for all of them. */
    static boolean fits(List<CompleteRequest> requests) {
        CompleteRequest first = requests.get(0);
        boolean results = first.result() != null;
        for (CompleteRequest request : requests) {
            if ((request.result() != null) != results
                    || !request.window().equals(first.window())
                    || !request.claim().key().scope().equals(first.claim().key().scope())) {
                return false;
            }
        }
        return !results || haveOneOwner(requests);
    }

    private static boolean haveOneOwner(List<CompleteRequest> requests) {
        return PostgresRequests.haveOneOwner(
                requests, request -> request.claim().owner());
    }

    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException {
        CompleteRequest first = requests.get(0);
        long window = Micros.of(first.window());
        boolean ends = window != Micros.NEVER;
        int hour = clock.due(window);
        WriteResult[] answers = new WriteResult[requests.size()];
        Arrays.fill(answers, WriteResult.applied());
        Form form = ends ? withEnd : forever;
        boolean withResults = first.result() != null;
        boolean oneOwner = withResults || haveOneOwner(requests);
        ClockedSql sql = withResults ? form.withResults() : oneOwner ? form.ofOneOwner() : form.ofOwners();
        try (PreparedStatement statement = statements.prepare(connection, sql.on(connection))) {
            int next = PostgresRequests.bind(connection, statement, requests, source, oneOwner);
            if (withResults) {
                results.bind(connection, statement, next++, requests);
            }
            if (ends) {
                statement.setLong(next++, window);
            }
            statement.setInt(next++, hour);
            statement.setInt(next++, hour);
            statement.setBytes(next++, keys.scope(first.claim().key()));
            statement.setInt(next, requests.size());
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    answers[result.getInt(1) - 1] = WriteResult.leaseLost();
                }
            }
        }
        return Arrays.asList(answers);
    }
}
