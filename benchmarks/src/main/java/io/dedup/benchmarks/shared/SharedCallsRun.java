package io.dedup.benchmarks.shared;

import io.dedup.benchmarks.jdbc.ByHandTable;
import io.dedup.benchmarks.jdbc.DatabaseUnderTest;
import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Outcome;
import io.dedup.benchmarks.measure.PairedRun;
import io.dedup.benchmarks.measure.Sample;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.redis.ByHandKeys;
import io.dedup.benchmarks.redis.RedisUnderTest;
import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.benchmarks.subject.ByHandWorkers;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.DedupWorkers;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.DedupStore;
import io.dedup.testservers.redis.RedisBinary;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Many threads that handle message by message: with calls of their own, with shared ones, and by hand. */
public final class SharedCallsRun {
    /** What the columns of {@link #rows} are. */
    public static final List<String> HEADER = List.of(
            "store",
            "threads",
            "shared / by hand",
            "shared / own calls",
            "shared, messages/s",
            "own calls, messages/s",
            "by hand, messages/s",
            "shared, CPU µs/message",
            "own calls, CPU µs/message",
            "by hand, CPU µs/message");

    private static final List<Integer> THREADS = List.of(1, 8, 16, 24, 32, 64);

    /** A connection for each thread, so that by hand nobody waits for one. */
    private static final int CONNECTIONS = 65;

    private final List<List<String>> rows = new ArrayList<>();
    private final PairedRun run;
    private final Consumer<String> progress;

    /** @param progress gets the progress, a line at a time */
    public SharedCallsRun(PairedRun run, Consumer<String> progress) {
        this.run = run;
        this.progress = progress;
    }

    /** Measures PostgreSQL and the newest Redis of this machine, if they are asked for. */
    public List<List<String>> rows(List<String> stores, List<Network> networks) throws InterruptedException {
        for (Network network : networks) {
            if (stores.contains("postgresql")) {
                postgres(network);
            }
            if (stores.contains("redis-7")) {
                redis(network);
            }
        }
        return rows;
    }

    private void postgres(Network network) throws InterruptedException {
        try (DatabaseUnderTest database = DatabaseUnderTest.postgres(network)) {
            database.pool().setMaximumPoolSize(CONNECTIONS);
            measure(database.name(), database.store(), new ByHandTable(database.pool()));
        }
    }

    private void redis(Network network) throws InterruptedException {
        RedisBinary binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
        try (RedisUnderTest redis = RedisUnderTest.start(binary, network);
                ByHandKeys byHand = ByHandKeys.leased(redis.route().port())) {
            measure(redis.name(), redis.store(), byHand);
        }
    }

    private void measure(String name, DedupStore store, ByHandStore byHandStore) throws InterruptedException {
        StoreRequests requests = new StoreRequests();
        ByHandWorkers byHand = new ByHandWorkers(ContenderNames.BY_HAND, byHandStore);
        try (DedupWorkers own = new DedupWorkers(requests, store, ContenderNames.DEDUP);
                DedupWorkers shared = new DedupWorkers(requests, store, ContenderNames.DEDUP_SHARED)) {
            for (int threads : THREADS) {
                List<Contender> three = List.of(shared.single(threads), own.single(threads), byHand.single(threads));
                Outcome outcome = run.run(
                        three, System::gc, line -> progress.accept(name + ", " + threads + " threads: " + line));
                add(name, threads, outcome, three.stream().map(Contender::name).toList());
            }
        }
    }

    private void add(String name, int threads, Outcome outcome, List<String> three) {
        List<String> row = new ArrayList<>(List.of(
                name,
                Integer.toString(threads),
                outcome.ratio(three.get(0), three.get(2)).ratio(),
                outcome.ratio(three.get(0), three.get(1)).ratio()));
        three.forEach(
                each -> row.add(outcome.of(each, Sample::messagesPerSecond).whole()));
        three.forEach(
                each -> row.add(outcome.of(each, Sample::cpuNanosPerMessage).thousands()));
        rows.add(row);
    }
}
