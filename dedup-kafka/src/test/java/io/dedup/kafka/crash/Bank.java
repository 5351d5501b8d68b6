package io.dedup.kafka.crash;

import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Accounts between which money is moved, and a table of effects, without any key on the message's ID; one pair for each plan.
 */
final class Bank {
    static final int ACCOUNTS = 20;
    static final long BALANCE = 1_000_000;

    static final String DEBIT = "debit";
    static final String CREDIT = "credit";
    static final String MAIL = "mail";
    private static final String MOVED = "move";

    private final JdbcTemplate jdbc;

    Bank(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static Bank of(SqlDatabase database) {
        return new Bank(new JdbcTemplate(
                new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password())));
    }

    void open(List<Plan> plans) {
        for (Plan plan : plans) {
            jdbc.execute("CREATE TABLE account_" + plan.id() + " (id int PRIMARY KEY, balance bigint NOT NULL)");
            jdbc.execute("CREATE TABLE move_" + plan.id() + " (id varchar(40) NOT NULL, effect varchar(10) NOT NULL)");
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
        note(plan, transfer, MOVED);
    }

    /** One of the three effects of a move that has no transaction around it. */
    void effect(Plan plan, Transfer transfer, String effect, TransactionTemplate own) {
        own.executeWithoutResult(status -> {
            if (effect.equals(DEBIT)) {
                change(plan, transfer.from(), -transfer.amount());
            } else if (effect.equals(CREDIT)) {
                change(plan, transfer.to(), transfer.amount());
            }
            work();
            note(plan, transfer, effect);
        });
        work();
    }

    private void note(Plan plan, Transfer transfer, String effect) {
        jdbc.update("INSERT INTO move_" + plan.id() + " (id, effect) VALUES (?, ?)", transfer.id(), effect);
    }

    static List<String> effects(Plan plan) {
        return plan.hasThreeEffects() ? List.of(DEBIT, CREDIT, MAIL) : List.of(MOVED);
    }

    private void change(Plan plan, int account, long by) {
        jdbc.update("UPDATE account_" + plan.id() + " SET balance = balance + ? WHERE id = ?", by, account);
    }

    private static void work() {
        LockSupport.parkNanos(
                TimeUnit.MICROSECONDS.toNanos(ThreadLocalRandom.current().nextInt(2_000)));
    }

    long count(Plan plan, String effect) {
        return count("SELECT count(*) FROM move_" + plan.id() + " WHERE effect = '" + effect + "'");
    }

    long countDistinct(Plan plan, String effect) {
        return count("SELECT count(DISTINCT id) FROM move_" + plan.id() + " WHERE effect = '" + effect + "'");
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
