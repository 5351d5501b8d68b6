package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.bytes;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.text;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims the messages of one topic, as {@link PostgresFirstClaim} does it for a single one. The server returns one row for all that
 * it inserted, and one for each message that is blocked. If there are others, which {@link PostgresSql#CLAIM} has to decide, it
 * also returns which messages it inserted.
 *
 * <p>Thread-safe.
 */
final class PostgresFirstClaims {
    /**
     * Reads the clock for each row, after it has waited for the row before: a token has to be greater than one that another
     * consumer got for the same message meanwhile.
     */
    private static final String CLAIM = """
            WITH req AS MATERIALIZED ({requests}),
            blocked AS MATERIALIZED (
                SELECT r.ord, t.state, t.attempt, t.lease_until - {now} AS remaining, t.completed_at, t.fingerprint, t.result
                FROM req r JOIN {table} t ON t.message_id = r.message_id AND t.scope = ?
                WHERE t.state = 4 AND t.expires_at > {now}
                   OR t.state IN (1, 2) AND t.owner <> r.owner AND t.lease_until > {now}),
            won AS (
                INSERT INTO {table} (message_id, scope, state, owner, attempt, deaths, token, lease_until, expires_at,
                                     purge_hour)
                SELECT n.message_id, ?, 1, n.owner, 1, 0, n.now, n.now + ?, n.now + ?, ?
                FROM (SELECT q.*, {now} AS now
                      FROM (SELECT * FROM req r
                            WHERE r.ord NOT IN (SELECT b.ord FROM blocked b)
                            ORDER BY r.ord) q
                      OFFSET 0) n
                ON CONFLICT (message_id, scope) DO NOTHING
                RETURNING message_id, owner, token),
            total AS MATERIALIZED (SELECT count(*) AS inserted, array_agg(token) AS tokens FROM won)
            SELECT 0::bigint, tokens, NULL::smallint, NULL::int, NULL::bigint, NULL::bigint, NULL::text, NULL::bytea,
                   NULL::bytea, NULL::text
            FROM total
            UNION ALL
            SELECT ord, NULL, state, attempt, remaining, completed_at, fingerprint, result, NULL, NULL FROM blocked
            UNION ALL
            SELECT -1, ARRAY[token], NULL, NULL, NULL, NULL, NULL, NULL, message_id, owner FROM won
            WHERE (SELECT inserted FROM total) + (SELECT count(*) FROM blocked) < ?
            """;

    private final KeyFormat keys;
    private final List<PostgresColumn<ClaimRequest>> source;
    private final ClockedSql ofOneOwner;
    private final ClockedSql ofOwners;
    private final long retention;
    private final Statements statements;
    private final PurgeClock clock;

    PostgresFirstClaims(JdbcSettings settings, Statements statements, PurgeClock clock) {
        this.keys = settings.keys();
        this.source = List.of(
                bytes("message_id", request -> keys.messageId(request.key())),
                text("owner", request -> request.owner().value()));
        ClockedSql sql = ClockedSql.of(settings, CLAIM);
        this.ofOneOwner = sql.replace("{requests}", PostgresRequests.ofOneOwner(settings));
        this.ofOwners =
                sql.replace("{requests}", PostgresRequests.arrays(source, PostgresRequests.lockTimeout(settings)));
        this.retention = settings.retentionMicros();
        this.statements = statements;
        this.clock = clock;
    }

    /** Whether the requests have what the statement takes once for all of them. */
    static boolean fits(List<ClaimRequest> requests) {
        ClaimRequest first = requests.get(0);
        for (ClaimRequest request : requests) {
            if (request.fingerprint() != null
                    || !request.lease().equals(first.lease())
                    || !request.key().scope().equals(first.key().scope())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Claims.
     *
     * @param hours how many hours from now the records will be due for the purge
     * @return null for each request that the other statement has to decide
     */
    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests, int hours)
            throws SQLException {
        byte[] scope = keys.scope(requests.get(0).key());
        long lease = Micros.of(requests.get(0).lease());
        boolean oneOwner = PostgresRequests.haveOneOwner(requests, ClaimRequest::owner);
        ClockedSql sql = oneOwner ? ofOneOwner : ofOwners;
        try (PreparedStatement statement = statements.prepare(connection, sql.on(connection))) {
            int next = PostgresRequests.bind(connection, statement, requests, source, oneOwner);
            statement.setBytes(next++, scope);
            statement.setBytes(next++, scope);
            statement.setLong(next++, lease);
            statement.setLong(next++, lease + retention);
            statement.setInt(next++, clock.in(hours));
            statement.setInt(next, requests.size());
            try (ResultSet result = statement.executeQuery()) {
                return read(result, requests);
            }
        }
    }

    private List<@Nullable ClaimResult> read(ResultSet result, List<ClaimRequest> requests) throws SQLException {
        @Nullable ClaimResult[] answers = new ClaimResult[requests.size()];
        Long[] tokens = {};
        int blocked = 0;
        int position = 0;
        while (result.next()) {
            int ord = result.getInt(1);
            if (ord == 0) {
                tokens = tokens(result);
            } else if (ord > 0) {
                answers[ord - 1] = blocked(result, requests.get(ord - 1));
                blocked++;
            } else {
                position = position(result, requests, position);
                answers[position] = acquired(tokens(result)[0]);
            }
        }
        if (tokens.length > 0) {
            clock.seen(tokens[tokens.length - 1]);
        }
        if (tokens.length + blocked == requests.size()) {
            int next = 0;
            for (int i = 0; i < answers.length; i++) {
                if (answers[i] == null) {
                    answers[i] = acquired(tokens[next++]);
                }
            }
        }
        return Arrays.asList(answers);
    }

    /**
     * Finds the request that was inserted, by its message and its owner: the claims of a batch may share their owner. Rows come
     * in the order of the requests, so the search goes on where the one before has ended.
     */
    private int position(ResultSet result, List<ClaimRequest> requests, int from) throws SQLException {
        byte[] id = result.getBytes(9);
        String owner = result.getString(10);
        for (int i = 0; i < requests.size(); i++) {
            int position = (from + i) % requests.size();
            ClaimRequest request = requests.get(position);
            if (Arrays.equals(keys.messageId(request.key()), id)
                    && request.owner().value().equals(owner)) {
                return position;
            }
        }
        throw new SQLException("the database returned a claim that was not requested");
    }

    private static ClaimResult acquired(long token) {
        return new ClaimResult.Acquired(1, 0, false, token);
    }

    private static Long[] tokens(ResultSet result) throws SQLException {
        Array tokens = result.getArray(2);
        return tokens == null ? new Long[0] : (Long[]) tokens.getArray();
    }

    private static ClaimResult blocked(ResultSet result, ClaimRequest request) throws SQLException {
        Row row = new Row(
                Phase.of(result.getInt(3)),
                null,
                result.getInt(4),
                0,
                0,
                0,
                result.getLong(6),
                0,
                result.getString(7),
                result.getBytes(8));
        return LeaseTransitions.blocked(row, request, result.getLong(5));
    }
}
