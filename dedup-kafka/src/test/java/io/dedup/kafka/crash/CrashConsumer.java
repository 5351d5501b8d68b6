package io.dedup.kafka.crash;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

/**
 * The process that is killed: a listener for each {@link Plan}. Says {@code READY} with its first message, and nothing else.
 */
final class CrashConsumer {
    /** A loaded machine takes its time to load a client's classes. */
    private static final Duration START = Duration.ofSeconds(15);

    private static final Duration LEASE = Duration.ofSeconds(2);

    private final String bootstrap;
    private final String run;
    private final String redis;
    private final HikariDataSource pool;
    private final JdbcTransactionManager manager;
    private final Bank bank;
    private volatile boolean ready;

    private CrashConsumer(String bootstrap, String run, String redis, HikariConfig pool) {
        this.bootstrap = bootstrap;
        this.run = run;
        this.redis = redis;
        this.pool = new HikariDataSource(pool);
        this.manager = new JdbcTransactionManager(this.pool);
        this.bank = new Bank(new JdbcTemplate(this.pool));
    }

    /** Arguments: bootstrap servers, the run's name, Redis's URI, the database's JDBC URL, user and password. */
    public static void main(String[] args) throws InterruptedException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[3]);
        config.setUsername(args[4]);
        config.setPassword(args[5]);
        config.setMaximumPoolSize(2 * Plan.values().length + 1);
        config.setMinimumIdle(2);
        try {
            new CrashConsumer(args[0], args[1], args[2], config).start();
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // clients' threads would keep it
        }
        new CountDownLatch(1).await(); // until it is killed
    }

    @SuppressWarnings("resource") // ends with the process
    private void start() {
        JdbcDedupStore table = JdbcDedupStore.builder(pool).build();
        RedisDedupStore front = RedisDedupStore.builder()
                .uri(redis)
                .namespace(run)
                .commandTimeout(START)
                .build();
        for (Plan plan : Plan.values()) {
            DedupStore store = plan.mode == DedupMode.TIERED || plan.mode == DedupMode.LEASED ? front : table;
            var builder = Deduplicators.builder(store).consumer(plan.topic(run));
            Deduplicator dedup = builder.transactions(table.transactions(manager))
                    .topic(
                            plan.topic(run),
                            policy -> policy.mode(plan.mode)
                                    .lease(LEASE)
                                    .maxProcessingTime(Duration.ofSeconds(30))
                                    .inFlightWait(Duration.ofMillis(200))
                                    .maxDeferDelay(Duration.ofMillis(200)))
                    .build();
            KafkaDedup kafka =
                    KafkaDedup.builder(dedup).id(KafkaMessageIds.header("id")).build();
            var container = container(plan);
            kafka.decorate(container);
            container.start();
        }
    }

    private ConcurrentMessageListenerContainer<String, String> container(Plan plan) {
        ContainerProperties properties = new ContainerProperties(plan.topic(run));
        properties.setPollTimeout(100);
        properties.setMessageListener(plan.batch ? batches(plan) : records(plan));
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        plan.topic(run),
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        plan.batch ? 10 : 20,
                        "session.timeout.ms",
                        1500,
                        "heartbeat.interval.ms",
                        300,
                        "fetch.max.wait.ms",
                        50),
                new StringDeserializer(),
                new StringDeserializer());
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName(plan.id());
        container.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(20, FixedBackOff.UNLIMITED_ATTEMPTS)));
        return container;
    }

    private MessageListener<String, String> records(Plan plan) {
        if (plan.mode.isTransactional()) {
            return record -> move(plan, record);
        }
        TransactionTemplate own = new TransactionTemplate(manager);
        return record -> own.executeWithoutResult(status -> move(plan, record));
    }

    private BatchMessageListener<String, String> batches(Plan plan) {
        return records -> records.forEach(record -> move(plan, record));
    }

    private void move(Plan plan, ConsumerRecord<String, String> record) {
        if (!ready) {
            ready = true;
            System.out.println("READY");
        }
        String id = new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8);
        bank.move(plan, Transfer.of(id, record.value()));
    }
}
