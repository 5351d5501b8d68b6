package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages that have no record, and answers for those that are done or in flight elsewhere: what nearly every
 * claim meets. The statement has no means to take over a record, which is most of what {@link MySqlSql#claim} costs the
 * server to parse. Thread-safe.
 */
final class MariaDbFirstClaims {
    private final KeyFormat keys;
    private final Statements statements;
    private final String head;
    private final String row;
    private final String tail;

    /** @param limits what comes before a statement, to limit its time */
    MariaDbFirstClaims(JdbcSettings settings, Statements statements, String limits) {
        this.keys = settings.keys();
        this.statements = statements;
        this.head = MySqlSql.of(settings, limits, MySqlSql.FIRST_CLAIM);
        this.row = withoutLimits(settings, limits, MySqlSql.FIRST_ROW);
        this.tail = withoutLimits(settings, limits, MySqlSql.FIRST_CLAIMED);
    }

    private static String withoutLimits(JdbcSettings settings, String limits, String part) {
        return MySqlSql.of(settings, limits, part).substring(limits.length());
    }

    /** Claims; null for each request about which the other statement has to decide. */
    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        long mark = WriteMark.next();
        String sql = head + " " + Statements.list(row, requests.size()) + " " + tail;
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            MySqlClaims.bind(statement, keys, requests, mark);
            try (ResultSet result = statement.executeQuery()) {
                return read(result, requests, mark);
            }
        }
    }

    private List<@Nullable ClaimResult> read(ResultSet result, List<ClaimRequest> requests, long mark)
            throws SQLException {
        @Nullable ClaimResult[] answers = new ClaimResult[requests.size()];
        KeyIndex index =
                new KeyIndex(keys, requests.stream().map(ClaimRequest::key).toList());
        while (result.next()) {
            int position = index.position(result, 1);
            answers[position] = WriteMark.isOf(mark, result.getLong(3))
                    ? new ClaimResult.Acquired(1, 0, false, result.getLong(4))
                    : refusal(result, requests.get(position));
        }
        return Arrays.asList(answers);
    }

    /** Null if the record can be claimed, or is the caller's own already. */
    private static @Nullable ClaimResult refusal(ResultSet result, ClaimRequest request) throws SQLException {
        byte[] owner = result.getBytes(10);
        Row row = new Row(
                Phase.of(result.getInt(5)),
                owner == null ? null : KeyBytes.text(owner),
                result.getInt(6),
                0,
                result.getLong(4),
                result.getLong(7),
                result.getLong(8),
                result.getLong(9),
                result.getString(11),
                result.getBytes(12));
        long now = result.getLong(13);
        return row.isHeldBy(request.owner(), now) ? null : LeaseTransitions.refusal(row, request, now);
    }
}
