package io.dedup.spring.boot.docs;

import org.springframework.jdbc.core.JdbcTemplate;

/** What the application of the samples does. Its table has no unique key, which would hide what is doubled. */
final class Invoices {
    private final JdbcTemplate jdbc;

    Invoices(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute("CREATE TABLE IF NOT EXISTS invoice (order_id varchar(100))");
    }

    /** True, or an exception. */
    boolean create(String order) {
        jdbc.update("INSERT INTO invoice VALUES (?)", order);
        return true;
    }
}
