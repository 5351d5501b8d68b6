package io.dedup.store.jdbc.internal.dialect;

import io.dedup.DedupKey;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Renewals that found their row locked after their lease had expired: another owner may be taking over at this moment,
 * and only the end of that lock shows who owns the record. Renewals with a live lease can wait for the next heartbeat.
 */
public final class LateRenewals {
    private LateRenewals() {}

    /** Renews by waiting for locks, as long as the lock timeout. */
    public interface Renewal {
        List<@Nullable WriteResult> ask(List<RenewRequest> requests) throws SQLException;
    }

    /** Replaces the results of the late renewals, unless their rows stay locked. */
    public static List<@Nullable WriteResult> settle(
            List<RenewRequest> requests,
            List<@Nullable WriteResult> answers,
            Set<DedupKey> late,
            SqlErrors errors,
            Renewal renewal)
            throws SQLException {
        if (late.isEmpty()) {
            return answers;
        }
        List<RenewRequest> open = requests.stream()
                .filter(request -> late.contains(request.claim().key()))
                .toList();
        List<@Nullable WriteResult> settled;
        try {
            settled = renewal.ask(open);
        } catch (SQLException e) {
            if (errors.kind(e) == FailureKind.LOCKED) {
                return answers;
            }
            throw e;
        }
        List<@Nullable WriteResult> all = new ArrayList<>(answers);
        int next = 0;
        for (int i = 0; i < requests.size(); i++) {
            if (late.contains(requests.get(i).claim().key())) {
                all.set(i, settled.get(next++));
            }
        }
        return all;
    }
}
