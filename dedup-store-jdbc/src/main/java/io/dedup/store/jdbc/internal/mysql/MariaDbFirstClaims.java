package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages that have no record, and answers for those that are done or in flight elsewhere: what nearly every
 * claim meets. The statements have no means to take over a record, which is most of what {@link MySqlSql#claim} costs the
 * server to parse. Thread-safe.
 */
final class MariaDbFirstClaims {
    private final KeyFormat keys;
    private final KeptStatement one;
    private final MariaDbInserts<ClaimRequest> many;

    /** @param one the statement for one message, see {@link MySqlSql#FIRST_CLAIM} */
    MariaDbFirstClaims(JdbcSettings settings, Rows rows, KeptStatement one, String limits) {
        this.keys = settings.keys();
        this.one = one;
        this.many = new MariaDbInserts<>(
                settings,
                rows,
                limits,
                ClaimRequest::key,
                MySqlSql.FIRST_CLAIMS,
                MySqlSql.FIRST_CLAIMS_ROW,
                List.of(
                        new MariaDbInserts.Column<>("new_owner", request -> owner(request)),
                        new MariaDbInserts.Column<>("lease", request -> Micros.of(request.lease())),
                        new MariaDbInserts.Column<>("new_fingerprint", request -> Row.bytes(request.fingerprint()))));
    }

    private static byte[] owner(ClaimRequest request) {
        return KeyBytes.utf8(request.owner().value());
    }

    /** Claims; null for each request about which the other statement has to decide. */
    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        return requests.size() == 1
                ? Collections.singletonList(claim(connection, requests.get(0)))
                : claimAll(connection, requests);
    }

    private @Nullable ClaimResult claim(Connection connection, ClaimRequest request) throws SQLException {
        long mark = WriteMark.next();
        byte[] id = keys.messageId(request.key());
        return one.query(
                connection,
                result -> result.next() ? answer(RecordAnswers.of(id, result, 12), request, mark) : null,
                id,
                keys.scope(request.key()),
                owner(request),
                Micros.of(request.lease()),
                Row.bytes(request.fingerprint()),
                mark);
    }

    /** Null if the record can be claimed, or is the caller's own already. */
    private static @Nullable ClaimResult answer(ResultSet result, ClaimRequest request, long mark) throws SQLException {
        if (WriteMark.isOf(mark, result.getLong(1))) {
            return new ClaimResult.Acquired(1, 0, false, result.getLong(2));
        }
        byte[] owner = result.getBytes(8);
        Row row = new Row(
                Phase.of(result.getInt(3)),
                owner == null ? null : KeyBytes.text(owner),
                result.getInt(4),
                0,
                result.getLong(2),
                result.getLong(5),
                result.getLong(6),
                result.getLong(7),
                result.getString(9),
                result.getBytes(10));
        return LeaseTransitions.refusal(row, request, result.getLong(11));
    }

    private List<@Nullable ClaimResult> claimAll(Connection connection, List<ClaimRequest> requests)
            throws SQLException {
        return many.insertOrRefuse(
                connection, requests, token -> new ClaimResult.Acquired(1, 0, false, token), LeaseTransitions::refusal);
    }
}
