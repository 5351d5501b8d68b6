package io.dedup.examples.http;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Pays money back. */
@Component
class Refunds {
    private final JdbcTemplate database;

    Refunds(JdbcTemplate database) {
        this.database = database;
    }

    void refund(String id, String doneBy) {
        database.update("INSERT INTO refund VALUES (?, ?)", id, doneBy); // no unique key
    }
}
