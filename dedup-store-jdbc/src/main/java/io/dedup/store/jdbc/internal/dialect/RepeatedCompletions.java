package io.dedup.store.jdbc.internal.dialect;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A repeated completion that changed nothing may have been applied the first time. This justifies a second round trip:
 * it happens only after an outage, and a read can decide it, because a DONE record stays DONE.
 */
public final class RepeatedCompletions {
    private RepeatedCompletions() {}

    /** Replaces the results of repeated requests that were already applied the first time. */
    public static void settle(
            Connection connection, Rows rows, List<CompleteRequest> requests, List<@Nullable WriteResult> answers)
            throws SQLException {
        List<DedupKey> open = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (isOpen(requests.get(i), answers.get(i))) {
                open.add(requests.get(i).claim().key());
            }
        }
        if (open.isEmpty()) {
            return;
        }
        Rows.Snapshot snapshot = rows.read(connection, open);
        for (int i = 0; i < requests.size(); i++) {
            CompleteRequest request = requests.get(i);
            if (isOpen(request, answers.get(i))
                    && LeaseTransitions.isCompletedBefore(
                            snapshot.row(request.claim().key()), request, snapshot.now())) {
                answers.set(i, WriteResult.applied());
            }
        }
    }

    private static boolean isOpen(CompleteRequest request, @Nullable WriteResult answer) {
        return request.repeated() && answer instanceof WriteResult.LeaseLost;
    }
}
