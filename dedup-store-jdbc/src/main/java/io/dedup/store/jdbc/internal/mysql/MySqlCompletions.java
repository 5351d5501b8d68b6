package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.Claim;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Completes claims on MySQL and MariaDB. On MariaDB a single one, which nearly every message needs, has statements of its own that
 * sessions keep. Thread-safe.
 */
final class MySqlCompletions {
    private final KeyFormat keys;
    private final MySqlWrites<CompleteRequest> any;
    private final String limits;
    private final @Nullable Single single;

    /** The statements for one claim: with a window that ends, and with one that doesn't. */
    record Single(KeptStatement withEnd, KeptStatement forEver) {}

    /**
     * Creates the completions.
     *
     * @param limits what comes before the statements of {@code any}; may be empty
     * @param single null if the server has none
     */
    MySqlCompletions(KeyFormat keys, MySqlWrites<CompleteRequest> any, String limits, @Nullable Single single) {
        this.keys = keys;
        this.any = any;
        this.limits = limits;
        this.single = single;
    }

    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException {
        return single == null || requests.size() > 1
                ? any.write(connection, limits, requests)
                : Arrays.asList(complete(connection, single, requests.get(0)));
    }

    /** Every written row gets a new mark: the count is the number of written rows, whether a driver counts found or changed ones. */
    private WriteResult complete(Connection connection, Single statements, CompleteRequest request)
            throws SQLException {
        Claim claim = request.claim();
        long window = Micros.of(request.window());
        long mark = WriteMark.next();
        byte[] scope = keys.scope(claim.key());
        byte[] owner = KeyBytes.utf8(claim.owner().value());
        byte[] id = keys.messageId(claim.key());
        int written = window == Micros.NEVER
                ? statements.forEver().update(connection, request.result(), mark, scope, owner, id)
                : statements.withEnd().update(connection, window, request.result(), mark, scope, owner, id);
        return written == 1 ? WriteResult.applied() : WriteResult.leaseLost();
    }
}
