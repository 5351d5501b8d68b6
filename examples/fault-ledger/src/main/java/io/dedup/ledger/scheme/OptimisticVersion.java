package io.dedup.ledger.scheme;

import java.util.Map;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Optimistic: reads status and version, acts, and updates both where the version is still the same; else rolls back. */
public final class OptimisticVersion implements Scheme {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String table;

    public OptimisticVersion(Stores stores, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        this.transactions = Stores.transactions(jdbc);
        this.table = stores.table("business");
    }

    @Override
    public void handle(String id, Runnable effect) {
        transactions.executeWithoutResult(transaction -> {
            Map<String, Object> row = jdbc.queryForMap("SELECT status, version FROM " + table + " WHERE id = ?", id);
            if ("DONE".equals(row.get("status"))) {
                return;
            }
            effect.run();
            int updated = jdbc.update(
                    "UPDATE " + table + " SET status = 'DONE', version = version + 1 WHERE id = ? AND version = ?",
                    id,
                    row.get("version"));
            if (updated == 0) {
                throw new OptimisticLockingFailureException("the row has changed");
            }
        });
    }
}
