package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.subject.BareWorkers;
import io.dedup.benchmarks.subject.Bench;
import io.dedup.benchmarks.subject.Capture;
import io.dedup.benchmarks.subject.DedupWorkers;
import io.dedup.benchmarks.subject.Names;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.ArrayList;
import java.util.List;

/** A database: the store, and the same statements by plain JDBC on the same pool. */
public final class JdbcSubject implements Subject {
    private final Bench bench = new Bench();
    private final JdbcBench database;
    private final DedupWorkers dedup;

    private JdbcSubject(JdbcBench database) {
        this.database = database;
        this.dedup = new DedupWorkers(bench, database.store(), true);
    }

    public static JdbcSubject postgres() {
        return new JdbcSubject(JdbcBench.postgres());
    }

    public static JdbcSubject mariadb() {
        return new JdbcSubject(JdbcBench.mariadb());
    }

    public static JdbcSubject h2() {
        return new JdbcSubject(JdbcBench.h2());
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(dedup.contenders());
        BareWorkers bare = new BareWorkers(bench, database.store());
        Recorder recorder = new Recorder(database.pool());
        try (JdbcDedupStore watched = JdbcBench.storeOn(recorder.watched())) {
            Capture capture = new Capture(
                    bench, watched, (ids, work) -> new JdbcExchange(database.pool(), recorder.record(ids, work)));
            contenders.addAll(bare.singles(Names.BARE, capture.single(true)));
            for (int size : Names.BATCHES) {
                contenders.add(bare.batch(Names.BARE, size, capture.batch(size)));
            }
        }
        return contenders;
    }

    @Override
    public void close() {
        dedup.close();
        database.close();
    }
}
