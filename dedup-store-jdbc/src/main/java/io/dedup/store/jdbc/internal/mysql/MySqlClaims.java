package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.dialect.OpenClaims;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims on MySQL and MariaDB.
 *
 * <p>The row proves a claim: by the mark of this very write, which MariaDB returns with it, or, on a server that returns
 * nothing, by this claim's owner. The count of affected rows isn't looked at, because its meaning depends on flags of the
 * driver.
 */
final class MySqlClaims {
    private final JdbcSettings settings;
    private final Statements statements;
    private final Rows rows;
    private final String before;
    private final boolean returning;
    private final String one;
    private final @Nullable MariaDbFirstClaims first;

    /**
     * @param before what comes before a statement, to limit its time; may be empty
     * @param first what is asked first; null if the server cannot return what it wrote
     */
    MySqlClaims(
            JdbcSettings settings,
            Statements statements,
            Rows rows,
            String before,
            @Nullable MariaDbFirstClaims first) {
        boolean returning = first != null;
        this.settings = settings;
        this.statements = statements;
        this.rows = rows;
        this.before = before;
        this.returning = returning;
        this.one = returning ? MySqlSql.of(settings, before, MySqlSql.claimOne() + MySqlSql.RETURNING) : "";
        this.first = first;
    }

    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        if (first == null) {
            return claimAny(connection, requests);
        }
        return OpenClaims.settle(requests, first.claim(connection, requests), open -> claimAny(connection, open));
    }

    private List<@Nullable ClaimResult> claimAny(Connection connection, List<ClaimRequest> requests)
            throws SQLException {
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, sql(requests.size()))) {
            bind(statement, settings.keys(), requests, mark);
            if (returning) {
                try (ResultSet result = statement.executeQuery()) {
                    return returned(result, requests, mark);
                }
            }
            statement.executeUpdate();
        }
        return lookedUp(connection, requests);
    }

    private String sql(int requests) {
        if (!returning) {
            return MySqlSql.of(settings, before, MySqlSql.claim(requests));
        }
        return requests == 1 ? one : MySqlSql.of(settings, before, MySqlSql.claim(requests) + MySqlSql.RETURNING);
    }

    private static void bind(PreparedStatement statement, KeyFormat keys, List<ClaimRequest> requests, long mark)
            throws SQLException {
        int next = 1;
        for (ClaimRequest request : requests) {
            statement.setBytes(next++, keys.messageId(request.key()));
            statement.setBytes(next++, keys.scope(request.key()));
            statement.setBytes(next++, KeyBytes.utf8(request.owner().value()));
            statement.setLong(next++, Micros.of(request.lease()));
            statement.setBytes(next++, Row.bytes(request.fingerprint()));
            statement.setLong(next++, mark);
        }
    }

    private List<@Nullable ClaimResult> returned(ResultSet result, List<ClaimRequest> requests, long mark)
            throws SQLException {
        @Nullable ClaimResult[] answers = new ClaimResult[requests.size()];
        KeyIndex index = new KeyIndex(
                settings.keys(), requests.stream().map(ClaimRequest::key).toList());
        while (result.next()) {
            int position = index.position(result, 1);
            answers[position] = answer(result, requests.get(position), mark);
        }
        return Arrays.asList(answers);
    }

    private static ClaimResult answer(ResultSet result, ClaimRequest request, long mark) throws SQLException {
        Row row = new Row(
                Phase.of(result.getInt(3)),
                null,
                result.getInt(4),
                result.getInt(5),
                result.getLong(6),
                0,
                result.getLong(8),
                0,
                result.getString(9),
                result.getBytes(10));
        return WriteMark.isOf(mark, result.getLong(11))
                ? LeaseTransitions.acquired(row)
                : LeaseTransitions.blocked(row, request, result.getLong(7));
    }

    /**
     * For servers without RETURNING: a row with this owner proves the claim; everything else in it may have changed
     * since.
     */
    private List<@Nullable ClaimResult> lookedUp(Connection connection, List<ClaimRequest> requests)
            throws SQLException {
        Rows.Snapshot snapshot =
                rows.read(connection, requests.stream().map(ClaimRequest::key).toList());
        List<@Nullable ClaimResult> answers = new ArrayList<>(requests.size());
        for (ClaimRequest request : requests) {
            Row row = snapshot.row(request.key());
            answers.add(
                    row != null && row.isHeldBy(request.owner(), snapshot.now())
                            ? LeaseTransitions.acquired(row)
                            : LeaseTransitions.refusal(row, request, snapshot.now()));
        }
        return answers;
    }
}
