package io.dedup.kafka.crash;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupContext;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.policy.TransactionSpan;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.ParentWatch;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.GenericMessageListener;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

/**
 * The process that is killed: a listener for each {@link Trial}. Says {@code READY}, the database and the plan with the first
 * message of each, and nothing else.
 */
final class CrashConsumer {
    /** With this property set it ends by itself when every listener has had a message. */
    static final String REHEARSAL = "crash.rehearsal";

    /** A loaded machine takes its time to load a client's classes. */
    private static final Duration START = Duration.ofSeconds(15);

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final int COMMON_ARGUMENTS = 4;
    private static final int ARGUMENTS_PER_DATABASE = 4;

    private final String bootstrap;
    private final String run;
    private final RedisDedupStore redis;
    private final List<Plan> plans;
    private final Set<Trial> ready = ConcurrentHashMap.newKeySet();
    private final CountDownLatch waiting;

    private CrashConsumer(String bootstrap, String run, String redis, List<Plan> plans, int databases) {
        this.bootstrap = bootstrap;
        this.run = run;
        this.redis = RedisDedupStore.builder()
                .uri(redis)
                .namespace(run)
                .commandTimeout(START)
                .build();
        this.plans = plans;
        this.waiting = new CountDownLatch(databases * plans.size());
    }

    /** Arguments: bootstrap servers, the run's name, Redis's URI, the plans; for each database its name, JDBC URL, user and password. */
    public static void main(String[] args) throws InterruptedException {
        ParentWatch.start(); // whoever ends the run has ended this
        int databases = (args.length - COMMON_ARGUMENTS) / ARGUMENTS_PER_DATABASE;
        try {
            var consumer = new CrashConsumer(args[0], args[1], args[2], Plan.named(args[3]), databases);
            List<ConcurrentMessageListenerContainer<String, String>> containers = new ArrayList<>();
            for (int i = COMMON_ARGUMENTS; i < args.length; i += ARGUMENTS_PER_DATABASE) {
                containers.addAll(consumer.containers(args[i], consumer.pool(args[i + 1], args[i + 2], args[i + 3])));
            }
            containers.forEach(ConcurrentMessageListenerContainer::start);
            consumer.waiting.await();
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1); // clients' threads would keep it
        }
        if (Boolean.getBoolean(REHEARSAL)) {
            System.exit(0);
        }
        new CountDownLatch(1).await(); // until it is killed
    }

    private HikariDataSource pool(String url, String user, String password) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(2 * plans.size() + 1);
        config.setMinimumIdle(2);
        return new HikariDataSource(config);
    }

    @SuppressWarnings("resource") // ends with the process
    private List<ConcurrentMessageListenerContainer<String, String>> containers(
            String database, HikariDataSource pool) {
        JdbcTransactionManager manager = new JdbcTransactionManager(pool);
        Bank bank = new Bank(new JdbcTemplate(pool));
        JdbcDedupStore table = JdbcDedupStore.builder(pool).build();
        List<ConcurrentMessageListenerContainer<String, String>> all = new ArrayList<>();
        for (Trial trial : Trial.on(database, plans)) {
            DedupMode mode = trial.plan().mode;
            DedupStore store = trial.plan().isInRedis() ? redis : table;
            Deduplicator dedup = Deduplicators.builder(store)
                    .consumer(trial.topic(run))
                    .transactions(table.transactions(manager))
                    .topic(
                            trial.topic(run),
                            policy -> policy.mode(mode)
                                    .transaction(
                                            trial.plan() == Plan.TRANSACTIONAL_POLL
                                                    ? TransactionSpan.POLL
                                                    : TransactionSpan.RECORD)
                                    .lease(LEASE)
                                    .maxProcessingTime(Duration.ofSeconds(30))
                                    .inFlightWait(Duration.ofMillis(200))
                                    .maxDeferDelay(Duration.ofMillis(200)))
                    .build();
            KafkaDedup kafka =
                    KafkaDedup.builder(dedup).id(KafkaMessageIds.header("id")).build();
            var container = container(trial, new TransactionTemplate(manager), bank);
            kafka.decorate(container);
            all.add(container);
        }
        return all;
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            Trial trial, TransactionTemplate own, Bank bank) {
        Plan plan = trial.plan();
        ContainerProperties properties = new ContainerProperties(trial.topic(run));
        properties.setPollTimeout(300);
        properties.setMessageListener(listener(trial, own, bank));
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "group.id",
                        trial.topic(run),
                        "auto.offset.reset",
                        "earliest",
                        "max.poll.records",
                        plan.batch ? 10 : 20,
                        "session.timeout.ms",
                        3000,
                        "heartbeat.interval.ms",
                        700),
                new StringDeserializer(),
                new StringDeserializer());
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName(trial.database() + plan.id());
        container.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(20, FixedBackOff.UNLIMITED_ATTEMPTS)));
        return container;
    }

    private GenericMessageListener<?> listener(Trial trial, TransactionTemplate own, Bank bank) {
        if (trial.plan().hasThreeEffects()) {
            return trial.plan().hasSteps()
                    ? method(new SteppedHandler((record, context) -> steps(trial, record, context, own, bank)))
                    : (MessageListener<String, String>) record -> effects(trial, record, own, bank);
        }
        return trial.plan().batch ? batches(trial, bank) : records(trial, own, bank);
    }

    /** Equivalent to an annotated method: only those have a context. */
    private static GenericMessageListener<?> method(SteppedHandler handler) {
        var methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        var endpoint = new MethodKafkaListenerEndpoint<String, String>();
        endpoint.setId("steps");
        endpoint.setTopics("steps");
        endpoint.setBean(handler);
        endpoint.setMethod(SteppedHandler.METHOD);
        endpoint.setMessageHandlerMethodFactory(methods);
        var container = new ConcurrentMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(Map.of()), new ContainerProperties("steps"));
        endpoint.setupListenerContainer(container, null);
        return (GenericMessageListener<?>) container.getContainerProperties().getMessageListener();
    }

    private MessageListener<String, String> records(Trial trial, TransactionTemplate own, Bank bank) {
        if (trial.plan().mode.isTransactional()) {
            return record -> move(trial, record, bank);
        }
        return record -> own.executeWithoutResult(status -> move(trial, record, bank));
    }

    private BatchMessageListener<String, String> batches(Trial trial, Bank bank) {
        return records -> records.forEach(record -> move(trial, record, bank));
    }

    private void effects(Trial trial, ConsumerRecord<String, String> record, TransactionTemplate own, Bank bank) {
        Transfer transfer = handling(trial, record);
        Bank.effects(trial.plan()).forEach(effect -> bank.effect(trial.plan(), transfer, effect, own));
    }

    private void steps(
            Trial trial,
            ConsumerRecord<String, String> record,
            DedupContext context,
            TransactionTemplate own,
            Bank bank) {
        Transfer transfer = handling(trial, record);
        for (String effect : Bank.effects(trial.plan())) {
            context.step(effect, () -> bank.effect(trial.plan(), transfer, effect, own));
        }
    }

    private void move(Trial trial, ConsumerRecord<String, String> record, Bank bank) {
        bank.move(trial.plan(), handling(trial, record));
    }

    private Transfer handling(Trial trial, ConsumerRecord<String, String> record) {
        if (ready.add(trial)) {
            System.out.println("READY " + trial.database() + " " + trial.plan());
            waiting.countDown();
        }
        String id = new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8);
        return Transfer.of(id, record.value());
    }
}
