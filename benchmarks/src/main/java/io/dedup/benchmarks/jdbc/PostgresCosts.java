package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.benchmarks.measure.Spread;
import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.ServerCost;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Measures what messages cost the server, for dedup and by hand, in turns on one connection. */
final class PostgresCosts implements AutoCloseable {
    private static final int BATCH = 500;
    private static final int BATCHES = 20;
    private static final int SINGLES = 2_000;
    private static final int WARM_UPS = 2;

    private final Map<String, List<PostgresUsage>> samples = new LinkedHashMap<>();
    private final HikariDataSource pool;
    private final JdbcDedupStore store;
    private final Deduplicator dedup;
    private final Map<String, ByHandStore> byHand;
    private long next = 1L << 50;

    PostgresCosts(HikariDataSource like) {
        HikariConfig config = new HikariConfig();
        like.copyStateTo(config);
        config.setPoolName("costs");
        config.setMinimumIdle(1);
        config.setMaximumPoolSize(1);
        this.pool = new HikariDataSource(config);
        this.store = DatabaseUnderTest.storeOn(pool);
        this.dedup = Deduplicators.builder(store)
                .consumer("costs")
                .defaults(DedupPolicy.defaults().toBuilder()
                        .lease(StoreRequests.LEASE)
                        .window(StoreRequests.WINDOW)
                        .build())
                .build();
        this.byHand = new LinkedHashMap<>();
        byHand.put(ContenderNames.BY_HAND, new ByHandTable(pool));
        byHand.put(ContenderNames.BY_HAND_FENCED, new FencedTable(pool));
    }

    /** Handles messages; returns how many of them were new. */
    private interface Handling {
        int handle(List<String> ids);
    }

    List<ServerCost> measure(int rounds) {
        for (int round = -WARM_UPS; round < rounds; round++) {
            boolean kept = round >= 0;
            measure(ContenderNames.DEDUP, ContenderNames.SINGLE, SINGLES, this::singles, kept);
            byHand.forEach((who, table) ->
                    measure(who, ContenderNames.SINGLE, SINGLES, ids -> singlesByHand(table, ids), kept));
            measure(ContenderNames.DEDUP, ContenderNames.batch(BATCH), BATCH * BATCHES, this::batches, kept);
            byHand.forEach((who, table) ->
                    measure(who, ContenderNames.batch(BATCH), BATCH * BATCHES, ids -> batchesByHand(table, ids), kept));
        }
        List<ServerCost> costs = new ArrayList<>();
        for (String form : List.of(ContenderNames.SINGLE, ContenderNames.batch(BATCH))) {
            for (String messages : List.of("new", "duplicate")) {
                costs.add(cost(ContenderNames.DEDUP, form, messages));
                byHand.keySet().forEach(who -> costs.add(cost(who, form, messages)));
            }
        }
        return costs;
    }

    private void measure(String who, String form, int count, Handling handling, boolean kept) {
        List<String> ids = Effects.ids(next, count);
        next += count;
        measure(name(who, form, "new"), ids, handling, count, kept);
        measure(name(who, form, "duplicate"), ids, handling, 0, kept);
    }

    private void measure(String name, List<String> ids, Handling handling, int expected, boolean kept) {
        PostgresUsage before = PostgresUsage.read(pool);
        int handled = handling.handle(ids);
        PostgresUsage after = PostgresUsage.read(pool);
        if (handled != expected) {
            throw new IllegalStateException(name + ": handled " + handled + " messages instead of " + expected);
        }
        if (kept) {
            samples.computeIfAbsent(name, any -> new ArrayList<>()).add(after.since(before));
        }
    }

    private static String name(String who, String form, String messages) {
        return who + ", " + form + ", " + messages;
    }

    private ServerCost cost(String who, String form, String messages) {
        List<PostgresUsage> rounds = samples.getOrDefault(name(who, form, messages), List.of());
        int count = form.equals(ContenderNames.SINGLE) ? SINGLES : BATCH * BATCHES;
        return new ServerCost(
                who,
                form,
                messages,
                each(rounds, PostgresUsage::cpuNanos, count),
                each(rounds, PostgresUsage::logBytes, count),
                each(rounds, PostgresUsage::replacedRows, count),
                each(rounds, PostgresUsage::deadRows, count));
    }

    private static Spread each(List<PostgresUsage> rounds, ToLongFunction<PostgresUsage> value, int messages) {
        return Spread.of(rounds.stream().mapToDouble(round -> (double) value.applyAsLong(round) / messages));
    }

    private int singles(List<String> ids) {
        int handled = 0;
        for (String id : ids) {
            handled += handled(dedup.execute(dedup.key(StoreRequests.TOPIC, id), context -> true));
        }
        return handled;
    }

    private int batches(List<String> ids) {
        int handled = 0;
        for (List<String> batch : batchesOf(ids)) {
            for (DedupOutcome<?> outcome :
                    dedup.executeAll(batch, id -> dedup.key(StoreRequests.TOPIC, id), items -> {})) {
                handled += handled(outcome);
            }
        }
        return handled;
    }

    private static int handled(DedupOutcome<?> outcome) {
        return outcome instanceof DedupOutcome.Handled<?> ? 1 : 0;
    }

    private int singlesByHand(ByHandStore table, List<String> ids) {
        int handled = 0;
        for (String id : ids) {
            String owner = "costs-" + next++;
            if (table.claim(id, owner) == ByHandStore.State.MINE) {
                table.complete(id, owner);
                handled++;
            }
        }
        return handled;
    }

    private int batchesByHand(ByHandStore table, List<String> ids) {
        int handled = 0;
        for (List<String> batch : batchesOf(ids)) {
            String owner = "costs-" + next++;
            Map<String, ByHandStore.State> states = table.claimAll(batch, owner);
            List<String> mine = batch.stream()
                    .filter(id -> states.get(id) == ByHandStore.State.MINE)
                    .toList();
            if (!mine.isEmpty()) {
                table.completeAll(mine, owner);
            }
            handled += mine.size();
        }
        return handled;
    }

    private static List<List<String>> batchesOf(List<String> ids) {
        List<List<String>> batches = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += BATCH) {
            batches.add(ids.subList(from, from + BATCH));
        }
        return batches;
    }

    @Override
    public void close() {
        dedup.close();
        store.close();
        pool.close();
    }
}
