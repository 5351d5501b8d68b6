package io.dedup.failover.rocketmq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.failover.load.Closeables;
import io.dedup.failover.load.EffectTable;
import io.dedup.failover.load.LoadPolicy;
import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.failover.plan.RunningScenario;
import io.dedup.rocketmq.RocketMqDedup;
import io.dedup.rocketmq.RocketMqMessageIds;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.rocketmq.RocketMqPair;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A topic, its push consumers, and the broker that fails over. */
final class RocketMqRun implements RunningScenario {
    private static final int CONSUMERS = 2;
    private static final int THREADS = 4;
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int MOST_DOWN_MILLIS = 4_000;

    /** Longer than a received message stays invisible before it is redelivered because its acknowledgment was lost. */
    private static final Duration QUIET = RocketMqPair.INVISIBLE.plusSeconds(20);
    /** Longer than any back-off between a message's attempts. */
    private static final Duration LONG_QUIET = Duration.ofMinutes(4);

    private final Closeables open = new Closeables();
    private final RocketMqScenario scenario;
    private final Random random;
    private final RocketMqPair brokers;
    private final SqlDatabase database;
    private final EffectTable effects;
    private final Clients clients;
    private final Set<String> confirmed = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private volatile long lastDelivery = System.nanoTime();

    RocketMqRun(RocketMqScenario scenario, long seed) throws Exception {
        this.scenario = scenario;
        this.random = new Random(seed);
        try {
            PostgresServer postgres = open.add(PostgresServers.start());
            database = postgres.newDatabase();
            effects = new EffectTable(open.add(pool()));
            effects.create();
            brokers = open.add(RocketMqPair.start(Clients.TOPIC, Clients.GROUP, scenario.synchronous()));
            clients = open.add(new Clients(brokers.endpoints()));
            for (int i = 0; i < CONSUMERS; i++) {
                consume();
            }
        } catch (Exception | Error e) {
            open.close();
            throw e;
        }
    }

    private HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(2 * THREADS + 2);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    /** One consumer with a deduplicator and connections of its own. */
    private void consume() throws ClientException {
        HikariDataSource pool = open.add(pool());
        JdbcDedupStore store = open.add(JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build());
        DeduplicatorBuilder builder = LoadPolicy.builder(store, Clients.TOPIC, scenario.mode());
        if (scenario.mode().isTransactional()) {
            builder.transactions(store.transactions(new JdbcTransactionManager(pool)));
        }
        EffectTable rows = new EffectTable(pool);
        RocketMqDedup dedup = open.add(RocketMqDedup.builder(open.add(builder.build()))
                .id(RocketMqMessageIds.property(Clients.ID))
                .build());
        MessageListener listener = dedup.decorate(Clients.GROUP, (message, context) -> {
            rows.add(id(message), context.attempt());
            return ConsumeResult.SUCCESS;
        });
        clients.consume(message -> delivered(listener, message), THREADS);
        open.add(dedup); // once more, before the consumers, so that they don't wait for it
    }

    private ConsumeResult delivered(MessageListener listener, MessageView message) {
        lastDelivery = System.nanoTime();
        ConsumeResult result = listener.consume(message);
        if (result.equals(ConsumeResult.SUCCESS)) {
            acknowledged.add(id(message));
        }
        return result;
    }

    private static String id(MessageView message) {
        return Objects.requireNonNull(message.getProperties().get(Clients.ID));
    }

    @Override
    public CompletableFuture<?> send(String id) {
        return clients.send(id).thenRun(() -> confirmed.add(id));
    }

    @Override
    public Outage failOver(int number) throws InterruptedException {
        long begin = System.currentTimeMillis();
        brokers.killMaster();
        brokers.awaitMaster();
        TimeUnit.MILLISECONDS.sleep(random.nextInt(MOST_DOWN_MILLIS));
        brokers.restartKilled();
        return Outage.keepsAll("master killed", begin, System.currentTimeMillis());
    }

    /** The broker doesn't report this: nothing was delivered for a while, or for longer if something isn't acknowledged. */
    @Override
    public boolean isConsumed() {
        Duration quiet = acknowledged.containsAll(confirmed) ? QUIET : LONG_QUIET;
        return System.nanoTime() - lastDelivery > quiet.toNanos();
    }

    @Override
    public List<Effect> effects() {
        return effects.effects();
    }

    /** Messages that weren't acknowledged and aren't redelivered. */
    @Override
    public Set<String> lostByServer(Set<String> missing) {
        Set<String> lost = new HashSet<>(missing);
        lost.removeAll(acknowledged);
        return lost;
    }

    @Override
    public void close() {
        open.close();
    }
}
