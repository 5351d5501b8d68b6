package io.dedup.ledger.scheme;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** A row with a unique key in the business transaction: a duplicate fails to insert it. */
public final class UniqueRow implements Scheme {
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final String table;

    public UniqueRow(Stores stores, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        this.transactions = Stores.transactions(jdbc);
        this.table = stores.table("seen");
    }

    @Override
    public void handle(String id, Runnable effect) {
        try {
            transactions.executeWithoutResult(transaction -> {
                jdbc.update("INSERT INTO " + table + " (id) VALUES (?)", id);
                effect.run();
            });
        } catch (DuplicateKeyException seen) {
            // a duplicate: there is nothing to do
        }
    }
}
