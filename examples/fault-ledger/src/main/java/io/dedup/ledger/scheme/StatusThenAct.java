package io.dedup.ledger.scheme;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Looks at the business row's status; if it isn't done, does it, and sets the status in the same transaction. */
public final class StatusThenAct implements Scheme {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String table;

    public StatusThenAct(Stores stores, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        this.transactions = Stores.transactions(jdbc);
        this.table = stores.table("business");
    }

    @Override
    public void handle(String id, Runnable effect) {
        String status = jdbc.queryForObject("SELECT status FROM " + table + " WHERE id = ?", String.class, id);
        if ("DONE".equals(status)) {
            return;
        }
        transactions.executeWithoutResult(transaction -> {
            effect.run();
            jdbc.update("UPDATE " + table + " SET status = 'DONE' WHERE id = ?", id);
        });
    }
}
