package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.LateRenewals;
import io.dedup.store.jdbc.internal.dialect.SkipLocked;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Renews leases without waiting for locked rows, on MySQL and MariaDB. Thread-safe. */
final class MySqlRenewals {
    private final MySqlWrites<RenewRequest> renew;
    private final Rows rows;
    private final SkipLocked skipLocked;
    private final SqlFailures failures;
    private final String limits;
    private final @Nullable String noWait;

    /**
     * Creates the renewals.
     *
     * @param limits a prefix of statements that limits their time; may be empty
     * @param noWait a prefix of statements that do not wait for locks; null if the server does not support it
     */
    MySqlRenewals(
            MySqlWrites<RenewRequest> renew,
            Rows rows,
            SkipLocked skipLocked,
            SqlFailures failures,
            String limits,
            @Nullable String noWait) {
        this.renew = renew;
        this.rows = rows;
        this.skipLocked = skipLocked;
        this.failures = failures;
        this.limits = limits;
        this.noWait = noWait;
    }

    /**
     * Renews rows that no other session has locked; the rest returns {@code StoreError}, unless its lease has expired.
     */
    List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests) throws SQLException {
        if (noWait != null) {
            try {
                return renew.write(connection, noWait, requests); // one trip, as long as nothing is locked
            } catch (SQLException e) {
                if (failures.errors().kind(e) != FailureKind.LOCKED) {
                    throw e;
                }
            }
        }
        Set<DedupKey> late = new HashSet<>();
        List<@Nullable WriteResult> answers =
                SkipLocked.inTransaction(connection, () -> renewFree(connection, requests, late));
        return LateRenewals.settle(
                requests, answers, late, failures.errors(), open -> renew.write(connection, limits, open));
    }

    /**
     * Renews the free rows.
     *
     * @param late receives the keys of locked rows whose lease has expired
     */
    private List<@Nullable WriteResult> renewFree(
            Connection connection, List<RenewRequest> requests, Set<DedupKey> late) throws SQLException {
        List<DedupKey> keys = requests.stream().map(renew::key).toList();
        Set<DedupKey> free = skipLocked.lock(connection, keys);
        List<RenewRequest> these = requests.stream()
                .filter(request -> free.contains(renew.key(request)))
                .toList();
        Map<DedupKey, WriteResult> answers = new HashMap<>();
        if (!these.isEmpty()) {
            List<@Nullable WriteResult> written = renew.write(connection, limits, these);
            for (int i = 0; i < these.size(); i++) {
                answers.put(renew.key(these.get(i)), written.get(i));
            }
        }
        if (these.size() < requests.size()) {
            Rows.Snapshot snapshot = rows.read(connection, keys);
            for (RenewRequest request : requests) {
                DedupKey key = renew.key(request);
                Row row = snapshot.row(key);
                boolean mine = row != null && row.isHeldBy(request.claim().owner(), snapshot.now());
                if (row != null && mine && !free.contains(key) && !row.isLive(snapshot.now())) {
                    late.add(key);
                }
                answers.putIfAbsent(
                        key,
                        mine ? new WriteResult.StoreError(failures.locked("renew", null)) : WriteResult.leaseLost());
            }
        }
        List<@Nullable WriteResult> list = new ArrayList<>(requests.size());
        requests.forEach(request -> list.add(answers.get(renew.key(request))));
        return list;
    }
}
