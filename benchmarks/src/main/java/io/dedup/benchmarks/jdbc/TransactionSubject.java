package io.dedup.benchmarks.jdbc;

import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.benchmarks.jdbc.Effects.Shape;
import io.dedup.benchmarks.measure.Contender;
import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.measure.Worker;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.ContenderNames;
import io.dedup.benchmarks.subject.Subject;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Business transactions alone, and the same with their record in them. Every message is new. */
public final class TransactionSubject implements Subject {
    /** Who runs a business transaction without a record. */
    public static final String ALONE = "alone";

    /** What one writes without a framework: a row with a unique key; no window, no lease; a rival transaction waits. */
    public static final String BY_HAND = "by hand";

    /** Modes beside that. */
    public static final List<DedupMode> MODES = List.of(DedupMode.TRANSACTIONAL, DedupMode.LEASED_TRANSACTIONAL);

    /** What is measured. */
    public static final List<String> FORMS =
            List.of(ContenderNames.SINGLE, ContenderNames.SINGLE_MANY, ContenderNames.batch(500));

    private static final int BATCH = 500;
    private static final int SINGLES_PER_CALL = 4;

    private final DatabaseUnderTest database;
    private final Effects effects;
    private final TransactionTemplate transactions;
    private final Map<DedupMode, Deduplicator> deduplicators = new EnumMap<>(DedupMode.class);
    private final AtomicLong next = new AtomicLong(1);

    private TransactionSubject(DatabaseUnderTest database, String ignore) {
        this.database = database;
        JdbcTransactionManager manager = new JdbcTransactionManager(database.pool());
        this.effects = new Effects(new JdbcTemplate(database.pool()), ignore);
        this.transactions = new TransactionTemplate(manager);
        effects.open();
        for (DedupMode mode : MODES) {
            deduplicators.put(
                    mode,
                    Deduplicators.builder(database.store())
                            .transactions(database.store().transactions(manager))
                            .consumer("bench-" + mode)
                            .topic("orders", policy -> policy.mode(mode))
                            .build());
        }
    }

    /** On PostgreSQL. */
    public static TransactionSubject postgres(Network network) {
        return new TransactionSubject(DatabaseUnderTest.postgres(network), "ON CONFLICT DO NOTHING");
    }

    /** On a PostgreSQL whose commits wait for the disk, as they do where money is moved. */
    public static TransactionSubject syncedPostgres(Network network) {
        return new TransactionSubject(DatabaseUnderTest.syncedPostgres(network), "ON CONFLICT DO NOTHING");
    }

    /** On MariaDB. */
    public static TransactionSubject mariadb(Network network) {
        return new TransactionSubject(DatabaseUnderTest.mariadb(network), "ON DUPLICATE KEY UPDATE id = id");
    }

    /** On MariaDB, with statements that the server prepares. */
    public static TransactionSubject preparingMariadb(Network network) {
        return new TransactionSubject(DatabaseUnderTest.preparingMariadb(network), "ON DUPLICATE KEY UPDATE id = id");
    }

    @Override
    public String name() {
        return database.name();
    }

    /** The name of a contender. */
    public static String named(Shape shape, String who, String form) {
        return ContenderNames.of(shape + ", " + who, form);
    }

    @Override
    public List<Contender> contenders() {
        List<Contender> contenders = new ArrayList<>();
        for (Shape shape : Shape.values()) {
            add(contenders, shape, ALONE, () -> alone(shape), () -> aloneInBatches(shape));
            add(contenders, shape, BY_HAND, () -> byHand(shape), () -> byHandInBatches(shape));
            for (DedupMode mode : MODES) {
                add(contenders, shape, mode.toString(), () -> with(mode, shape), () -> withInBatches(mode, shape));
            }
        }
        return contenders;
    }

    private static void add(
            List<Contender> contenders, Shape shape, String who, Supplier<Worker> singles, Supplier<Worker> batches) {
        contenders.add(new Contender(named(shape, who, ContenderNames.SINGLE), 1, singles));
        contenders.add(
                new Contender(named(shape, who, ContenderNames.SINGLE_MANY), ContenderNames.MANY_THREADS, singles));
        contenders.add(new Contender(named(shape, who, ContenderNames.batch(BATCH)), 1, batches));
    }

    private Worker alone(Shape shape) {
        return () -> {
            for (int i = 0; i < SINGLES_PER_CALL; i++) {
                String id = Ids.text(next.getAndIncrement());
                transactions.executeWithoutResult(status -> effects.one(shape, id));
            }
            return SINGLES_PER_CALL;
        };
    }

    private Worker aloneInBatches(Shape shape) {
        return () -> {
            List<String> ids = Effects.ids(next.getAndAdd(BATCH), BATCH);
            transactions.executeWithoutResult(status -> effects.many(shape, ids));
            return BATCH;
        };
    }

    private Worker byHand(Shape shape) {
        return () -> {
            for (int i = 0; i < SINGLES_PER_CALL; i++) {
                String id = Ids.text(next.getAndIncrement());
                transactions.executeWithoutResult(status -> {
                    if (effects.isNew(id)) {
                        effects.one(shape, id);
                    }
                });
            }
            return SINGLES_PER_CALL;
        };
    }

    private Worker byHandInBatches(Shape shape) {
        return () -> {
            List<String> ids = Effects.ids(next.getAndAdd(BATCH), BATCH);
            transactions.executeWithoutResult(status -> effects.many(shape, effects.newOf(ids)));
            return BATCH;
        };
    }

    private Deduplicator deduplicator(DedupMode mode) {
        Deduplicator found = deduplicators.get(mode);
        if (found == null) {
            throw new IllegalArgumentException("not measured: " + mode);
        }
        return found;
    }

    private Worker with(DedupMode mode, Shape shape) {
        Deduplicator dedup = deduplicator(mode);
        return () -> {
            for (int i = 0; i < SINGLES_PER_CALL; i++) {
                String id = Ids.text(next.getAndIncrement());
                requireHandled(dedup.execute(dedup.key("orders", id), context -> {
                    effects.one(shape, id);
                    return true;
                }));
            }
            return SINGLES_PER_CALL;
        };
    }

    private Worker withInBatches(DedupMode mode, Shape shape) {
        Deduplicator dedup = deduplicator(mode);
        return () -> {
            List<String> ids = Effects.ids(next.getAndAdd(BATCH), BATCH);
            dedup.executeAll(
                            ids,
                            id -> dedup.key("orders", id),
                            items -> effects.many(
                                    shape,
                                    items.stream().map(item -> item.value()).toList()))
                    .forEach(TransactionSubject::requireHandled);
            return BATCH;
        };
    }

    private static void requireHandled(DedupOutcome<?> outcome) {
        if (!(outcome instanceof DedupOutcome.Handled<?> handled)
                || handled.completion() != DedupOutcome.Completion.DONE) {
            throw new IllegalStateException("not handled: " + outcome);
        }
    }

    @Override
    public void reset() {
        effects.reset();
    }

    @Override
    public void close() {
        deduplicators.values().forEach(Deduplicator::close);
        database.close();
    }
}
