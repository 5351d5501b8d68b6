package io.dedup.ledger.scheme;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Pessimistic: locks the business row, looks at its status, acts, sets the status, all in one transaction. */
public final class SelectForUpdate implements Scheme {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String table;

    public SelectForUpdate(Stores stores, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        this.transactions = Stores.transactions(jdbc);
        this.table = stores.table("business");
    }

    @Override
    public void handle(String id, Runnable effect) {
        transactions.executeWithoutResult(transaction -> {
            String status =
                    jdbc.queryForObject("SELECT status FROM " + table + " WHERE id = ? FOR UPDATE", String.class, id);
            if (!"DONE".equals(status)) {
                effect.run();
                jdbc.update("UPDATE " + table + " SET status = 'DONE' WHERE id = ?", id);
            }
        });
    }
}
