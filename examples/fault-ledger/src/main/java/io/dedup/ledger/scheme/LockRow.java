package io.dedup.ledger.scheme;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A row with a unique key as a lock, deleted afterwards. A consumer that doesn't get the lock acknowledges its message
 * as a duplicate.
 */
public final class LockRow implements Scheme {
    private final JdbcTemplate jdbc;
    private final String table;

    public LockRow(Stores stores, JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        this.table = stores.table("seen");
    }

    @Override
    public void handle(String id, Runnable effect) {
        try {
            jdbc.update("INSERT INTO " + table + " (id) VALUES (?)", id);
        } catch (DuplicateKeyException locked) {
            return;
        }
        try {
            effect.run();
        } finally {
            jdbc.update("DELETE FROM " + table + " WHERE id = ?", id);
        }
    }
}
