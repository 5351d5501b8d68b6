package io.dedup.kafka.crash;

import io.dedup.testservers.sql.SqlDatabase;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Accounts between which money is moved, and a table of moves, without any key on the message's ID; one pair for each plan. */
final class Bank {
    static final int ACCOUNTS = 20;
    static final long BALANCE = 1_000_000;

    private final JdbcTemplate jdbc;

    Bank(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static Bank of(SqlDatabase database) {
        return new Bank(new JdbcTemplate(
                new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password())));
    }

    void open() {
        for (Plan plan : Plan.values()) {
            jdbc.execute("CREATE TABLE account_" + plan.id() + " (id int PRIMARY KEY, balance bigint NOT NULL)");
            jdbc.execute("CREATE TABLE move_" + plan.id() + " (id varchar(40) NOT NULL)");
            for (int i = 0; i < ACCOUNTS; i++) {
                jdbc.update("INSERT INTO account_" + plan.id() + " (id, balance) VALUES (?, ?)", i, BALANCE);
            }
        }
    }

    /** Takes a moment between its three statements, in which the process may be killed. */
    void move(Plan plan, Transfer transfer) {
        // In one order, or two moves would deadlock; which is deferred and would only cost time.
        int first = Math.min(transfer.from(), transfer.to());
        int second = Math.max(transfer.from(), transfer.to());
        change(plan, first, first == transfer.from() ? -transfer.amount() : transfer.amount());
        work();
        change(plan, second, second == transfer.from() ? -transfer.amount() : transfer.amount());
        work();
        jdbc.update("INSERT INTO move_" + plan.id() + " (id) VALUES (?)", transfer.id());
    }

    private void change(Plan plan, int account, long by) {
        jdbc.update("UPDATE account_" + plan.id() + " SET balance = balance + ? WHERE id = ?", by, account);
    }

    private static void work() {
        LockSupport.parkNanos(
                TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(2_000)));
    }

    long moves(Plan plan) {
        return count("SELECT count(*) FROM move_" + plan.id());
    }

    long distinctMoves(Plan plan) {
        return count("SELECT count(DISTINCT id) FROM move_" + plan.id());
    }

    long sum(Plan plan) {
        return count("SELECT sum(balance) FROM account_" + plan.id());
    }

    long balance(Plan plan, int account) {
        return count("SELECT balance FROM account_" + plan.id() + " WHERE id = " + account);
    }

    private long count(String sql) {
        Long found = jdbc.queryForObject(sql, Long.class);
        return found == null ? 0 : found;
    }
}
