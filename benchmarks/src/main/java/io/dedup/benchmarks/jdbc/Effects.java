package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.measure.Ids;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** What handlers do in their transaction: two shapes, for one message and, by JDBC batches, for many. */
public final class Effects {
    /** So many that two transactions seldom want the same. */
    private static final int ACCOUNTS = 100_000;

    private static final int TRIES = 5;

    private static final String INSERT = "INSERT INTO move (id, amount) VALUES (?, ?)";
    private static final String UPDATE = "UPDATE account SET balance = balance + ? WHERE id = ?";

    private final JdbcTemplate jdbc;
    private final String seen;

    /** @param ignore what makes an insert into table seen write nothing where the ID's row is there */
    Effects(JdbcTemplate jdbc, String ignore) {
        this.jdbc = jdbc;
        this.seen = "INSERT INTO seen (id, at) VALUES (?, CURRENT_TIMESTAMP) " + ignore;
    }

    /** A business transaction. */
    public enum Shape {
        /** One insert. */
        INSERT("insert"),
        /** Money from one account to another: two updates and an insert. */
        TRANSFER("transfer");

        private final String text;

        Shape(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    void open() {
        jdbc.execute("CREATE TABLE account (id int PRIMARY KEY, balance bigint NOT NULL)");
        jdbc.execute("CREATE TABLE move (id varchar(40) NOT NULL, amount bigint NOT NULL)");
        jdbc.execute("CREATE TABLE seen (id varchar(40) PRIMARY KEY, at timestamp NOT NULL)");
        List<Object[]> rows = new ArrayList<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            rows.add(new Object[] {i, 1_000_000L});
        }
        jdbc.batchUpdate("INSERT INTO account (id, balance) VALUES (?, ?)", rows);
    }

    /** Keeps tables from growing with the rounds, also the store's: the one by hand begins each turn empty, too. */
    void reset() {
        truncate("move");
        truncate("seen");
        truncate("dedup_record");
    }

    /** InnoDB's own threads may hold a table that has grown for so long that the statement gives up. */
    private void truncate(String table) {
        for (int tries = 1; ; tries++) {
            try {
                jdbc.execute("TRUNCATE TABLE " + table);
                return;
            } catch (DataAccessException e) {
                if (tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** Written by hand: whether this transaction has written the ID's row. */
    boolean isNew(String id) {
        return jdbc.update(seen, id) == 1;
    }

    List<String> newOf(List<String> ids) {
        int[] written =
                jdbc.batchUpdate(seen, ids.stream().map(id -> new Object[] {id}).toList());
        return IntStream.range(0, ids.size())
                .filter(i -> written[i] == 1)
                .mapToObj(ids::get)
                .toList();
    }

    void one(Shape shape, String id) {
        if (shape == Shape.TRANSFER) {
            int from = ThreadLocalRandom.current().nextInt(ACCOUNTS);
            int to = ThreadLocalRandom.current().nextInt(ACCOUNTS);
            jdbc.update(UPDATE, -1L, Math.min(from, to));
            jdbc.update(UPDATE, 1L, Math.max(from, to));
        }
        jdbc.update(INSERT, id, 1L);
    }

    void many(Shape shape, List<String> ids) {
        if (shape == Shape.TRANSFER) {
            List<Object[]> changes = new ArrayList<>(2 * ids.size());
            for (int i = 0; i < ids.size(); i++) {
                changes.add(new Object[] {-1L, ThreadLocalRandom.current().nextInt(ACCOUNTS)});
                changes.add(new Object[] {1L, ThreadLocalRandom.current().nextInt(ACCOUNTS)});
            }
            jdbc.batchUpdate(UPDATE, changes);
        }
        List<Object[]> inserts = new ArrayList<>(ids.size());
        ids.forEach(id -> inserts.add(new Object[] {id, 1L}));
        jdbc.batchUpdate(INSERT, inserts);
    }

    static List<String> ids(long first, int count) {
        List<String> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ids.add(Ids.text(first + i));
        }
        return ids;
    }
}
