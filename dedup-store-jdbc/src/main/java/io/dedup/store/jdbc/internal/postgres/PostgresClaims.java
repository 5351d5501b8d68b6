package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@link PostgresSql#CLAIM} answers.
 *
 * <p>Only a row that the write itself returns is a claim. The other rows were read before the write and can only refuse. A
 * request with neither lost a race in between, has no answer, and is repeated.
 */
final class PostgresClaims {
    private final KeyFormat keys;
    private final List<ClaimRequest> requests;
    private final @Nullable ClaimResult[] answers;
    /** Created on first use. */
    private @Nullable KeyIndex index;

    private PostgresClaims(KeyFormat keys, List<ClaimRequest> requests) {
        this.keys = keys;
        this.requests = requests;
        this.answers = new ClaimResult[requests.size()];
    }

    static List<@Nullable ClaimResult> read(ResultSet result, KeyFormat keys, List<ClaimRequest> requests)
            throws SQLException {
        PostgresClaims claims = new PostgresClaims(keys, requests);
        while (result.next()) {
            claims.readRow(result);
        }
        return Arrays.asList(claims.answers);
    }

    private void readRow(ResultSet result) throws SQLException {
        int ord = result.getInt(1);
        if (ord == 0) { // returned by the write itself
            answers[position(result)] = new ClaimResult.Acquired(
                    result.getInt(5),
                    result.getInt(6),
                    result.getInt(4) == Phase.TAKEN_OVER.number(),
                    result.getLong(7),
                    result.getBytes(11));
        } else {
            Row row = new Row(
                    Phase.of(result.getInt(4)),
                    null,
                    result.getInt(5),
                    0,
                    0,
                    0,
                    result.getLong(9),
                    0,
                    result.getString(10),
                    result.getBytes(11));
            answers[ord - 1] = LeaseTransitions.blocked(row, requests.get(ord - 1), result.getLong(8));
        }
    }

    private int position(ResultSet result) throws SQLException {
        if (requests.size() == 1) {
            return 0;
        }
        if (index == null) {
            index = new KeyIndex(keys, requests.stream().map(ClaimRequest::key).toList());
        }
        return index.position(result, 2);
    }
}
