package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.BareWorkers;
import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.benchmarks.subject.ByHandWorkers;
import io.dedup.benchmarks.subject.Capture;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.DedupWorkers;
import io.dedup.benchmarks.subject.ServerCost;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A database: the store, and the same statements by plain JDBC on the same pool. */
public final class JdbcSubject implements Subject {
    private final StoreRequests requests = new StoreRequests();
    private final DatabaseUnderTest database;
    private final @Nullable ByHandStore byHand;
    private final @Nullable ByHandStore fenced;
    private final DedupWorkers dedup;

    private JdbcSubject(DatabaseUnderTest database, @Nullable ByHandStore byHand, @Nullable ByHandStore fenced) {
        this.database = database;
        this.byHand = byHand;
        this.fenced = fenced;
        this.dedup = new DedupWorkers(requests, database.store(), true);
    }

    public static JdbcSubject postgres(Network network) {
        DatabaseUnderTest database = DatabaseUnderTest.postgres(network);
        return new JdbcSubject(database, new ByHandTable(database.pool()), new FencedTable(database.pool()));
    }

    public static JdbcSubject mariadb(Network network) {
        return mariadb(DatabaseUnderTest.mariadb(network));
    }

    /** With statements that the server prepares. */
    public static JdbcSubject preparingMariadb(Network network) {
        return mariadb(DatabaseUnderTest.preparingMariadb(network));
    }

    private static JdbcSubject mariadb(DatabaseUnderTest database) {
        return new JdbcSubject(
                database, new ByHandMariaDbTable(database.pool()), new FencedMariaDbTable(database.pool()));
    }

    public static JdbcSubject h2() {
        return new JdbcSubject(DatabaseUnderTest.h2(), null, null);
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>(dedup.contenders());
        if (byHand != null) {
            contenders.addAll(new ByHandWorkers(ContenderNames.BY_HAND, byHand).contenders());
        }
        if (fenced != null) {
            contenders.addAll(new ByHandWorkers(ContenderNames.BY_HAND_FENCED, fenced).contenders());
        }
        BareWorkers bare = new BareWorkers(requests, database.store());
        StatementRecorder recorder = new StatementRecorder(database.pool());
        try (JdbcDedupStore watched = DatabaseUnderTest.storeOn(recorder.watched())) {
            Capture capture = new Capture(
                    requests, watched, (ids, work) -> new JdbcExchange(database.pool(), recorder.record(ids, work)));
            contenders.addAll(bare.singles(ContenderNames.BARE, capture.single(true)));
            for (int size : ContenderNames.BATCHES) {
                contenders.add(bare.batch(ContenderNames.BARE, size, capture.batch(size)));
            }
        }
        return contenders;
    }

    @Override
    public List<ServerCost> serverCosts(int rounds) {
        if (!(byHand instanceof ByHandTable)) { // which is PostgreSQL's
            return List.of();
        }
        try (PostgresCosts costs = new PostgresCosts(database.pool())) {
            return costs.measure(rounds);
        }
    }

    @Override
    public void close() {
        dedup.close();
        database.close();
    }
}
