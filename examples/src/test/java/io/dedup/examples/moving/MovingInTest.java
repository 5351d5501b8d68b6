package io.dedup.examples.moving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupHandler;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.examples.moving.OldScheme.Entry;
import io.dedup.migration.ImportReport;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementCreator;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.jdbc.core.ResultSetExtractor;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * docs/moving-in.md, on PostgreSQL and Redis: messages are delivered again and again, to old and to new consumers that run side
 * by side and fail now and then. Each has one effect.
 */
class MovingInTest {
    private static final int THIRD = 20;
    private static final int COPIES = 4;
    private static final int THREADS = 4;
    private static final String TOPIC = "orders";
    private static final Set<String> QUESTIONS = Set.of("get", "hget");

    private static final SqlDatabase DATABASE = PostgresServers.newDatabase();
    private static final HikariDataSource POOL = new HikariDataSource();
    private static final RedisClient CLIENT =
            RedisClient.create(RedisServers.shared().uri());

    private static JdbcTemplate jdbc;
    private static JdbcTransactionManager manager;
    private static RedisCommands<String, String> redis;
    private static JdbcDedupStore store;

    private final String name = "c" + UUID.randomUUID();
    private final Map<String, Integer> effects = new ConcurrentHashMap<>();

    @SuppressWarnings("ThreadLocalUsage") // each test has its own
    private final ThreadLocal<List<String>> uncommitted = new ThreadLocal<>();

    @BeforeAll
    static void open() {
        POOL.setJdbcUrl(DATABASE.jdbcUrl());
        POOL.setUsername(DATABASE.user());
        POOL.setPassword(DATABASE.password());
        jdbc = new JdbcTemplate(POOL);
        manager = new JdbcTransactionManager(POOL);
        redis = CLIENT.connect().sync();
        store = JdbcDedupStore.builder(POOL)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build();
        for (String table : List.of(
                "CREATE TABLE processed_message (message_id text PRIMARY KEY, processed_at timestamptz NOT NULL)",
                "CREATE TABLE CAMEL_MESSAGEPROCESSED (processorName VARCHAR(255), messageId VARCHAR(100),"
                        + " createdAt TIMESTAMP, PRIMARY KEY (processorName, messageId))",
                "CREATE TABLE INT_METADATA_STORE (METADATA_KEY VARCHAR(255) NOT NULL, METADATA_VALUE VARCHAR(4000),"
                        + " REGION VARCHAR(100) NOT NULL, PRIMARY KEY (METADATA_KEY, REGION))",
                "CREATE TABLE t_rocketmq_dedup (application_name varchar(255) NOT NULL, topic varchar(255) NOT NULL,"
                        + " tag varchar(16) NOT NULL, msg_uniq_key varchar(255) NOT NULL, status varchar(16) NOT NULL,"
                        + " expire_time bigint NOT NULL, UNIQUE (application_name, topic, tag, msg_uniq_key))")) {
            jdbc.execute(table);
        }
    }

    @AfterAll
    static void close() {
        CLIENT.shutdown(0, 1, TimeUnit.SECONDS);
        store.close();
        POOL.close();
        DATABASE.close();
    }

    enum Scheme {
        UNIQUE_KEY_TABLE,
        REDIS_KEYS,
        CAMEL_TABLE,
        CAMEL_SET,
        METADATA_TABLE,
        METADATA_HASH,
        JASKEY_TABLE,
        JASKEY_KEYS
    }

    private OldScheme open(Scheme scheme) {
        return open(scheme, jdbc, redis);
    }

    /** A scheme whose first question, after its first change, is preceded by something. */
    private OldScheme open(Scheme scheme, Runnable before) {
        AtomicBoolean first = new AtomicBoolean(true);
        Runnable once = () -> {
            if (first.getAndSet(false)) {
                before.run();
            }
        };
        return open(scheme, new InterruptedTemplate(once), interrupted(once));
    }

    private static RedisCommands<String, String> interrupted(Runnable beforeQuestion) {
        return around(redis, RedisCommands.class, (method, call) -> {
            if (QUESTIONS.contains(method)) {
                beforeQuestion.run();
            }
            return call.call();
        });
    }

    /** What happens in place of a call. */
    private interface Around {
        @Nullable
        Object call(String method, Callable<@Nullable Object> call) throws Exception;
    }

    @SuppressWarnings("unchecked") // a proxy has the target's type
    private static <T> T around(T target, Class<? super T> type, Around around) {
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> around.call(method.getName(), () -> method.invoke(target, arguments)));
    }

    private OldScheme open(Scheme scheme, JdbcTemplate jdbc, RedisCommands<String, String> redis) {
        Duration day = Duration.ofDays(1);
        Duration minute = Duration.ofMinutes(1);
        return switch (scheme) {
            case UNIQUE_KEY_TABLE -> new UniqueKeyTable(jdbc);
            case REDIS_KEYS -> new RedisKeys(redis, name + ":", day);
            case CAMEL_TABLE -> new CamelTable(jdbc, new TransactionTemplate(manager), name, ZoneId.systemDefault());
            case CAMEL_SET -> new CamelSet(redis, name);
            case METADATA_TABLE -> new MetadataTable(jdbc, name);
            case METADATA_HASH -> new MetadataHash(redis, name);
            case JASKEY_TABLE -> new JaskeyTable(jdbc, name, TOPIC, "", minute, day);
            case JASKEY_KEYS -> new JaskeyKeys(redis, name, TOPIC, "", minute, day);
        };
    }

    @ParameterizedTest
    @EnumSource(Scheme.class)
    void oldAndNewSideBySide(Scheme scheme) throws Exception {
        OldScheme old = open(scheme);
        boolean inTransaction = scheme == Scheme.UNIQUE_KEY_TABLE;
        Consumer oldConsumer = id -> inTransaction ? consumeInTransaction(old, id) : consumeOld(scheme, old, id);
        try (Deduplicator dedup = deduplicator(inTransaction)) {
            Consumer bridged = inTransaction
                    ? id -> consume(
                            dedup, id, () -> new TransactionalBridge(old).handle(id, () -> effect(id, true)), true)
                    : id -> bridged(new Bridge(dedup, old), id);
            Consumer plain = id -> consume(dedup, id, () -> effect(id, inTransaction), inTransaction);

            deliver(0, THIRD, List.of(oldConsumer));
            deliver(0, 2 * THIRD, List.of(oldConsumer, bridged));
            deliver(0, 2 * THIRD, List.of(bridged)); // the last old consumer has stopped
            ImportReport imported = MoveIn.importHandled(dedup, old);
            deliver(0, 3 * THIRD, List.of(bridged, plain)); // the bridge is being removed
            deliver(0, 3 * THIRD, List.of(plain));

            assertThat(imported.isComplete()).isTrue();
            assertThat(imported.read()).isBetween((long) THIRD, 2L * THIRD);
        }
        assertEachOnce(3 * THIRD);
    }

    /** One bridge fails and removes its entry while another one has the message as well; an old consumer is faster than both. */
    @ParameterizedTest
    @EnumSource(value = Scheme.class, mode = EnumSource.Mode.EXCLUDE, names = "UNIQUE_KEY_TABLE")
    void bridgeFailsBesideAnotherOne(Scheme scheme) throws Exception {
        OldScheme old = open(scheme);
        Consumer oldConsumer = id -> consumeOld(scheme, old, id);
        CountDownLatch otherHasLooked = new CountDownLatch(1);
        CountDownLatch otherMayGoOn = new CountDownLatch(1);
        OldScheme slow = around(old, OldScheme.class, (method, call) -> {
            Object answer = call.call();
            if (method.equals("claim")) {
                otherHasLooked.countDown();
                assertThat(otherMayGoOn.await(60, TimeUnit.SECONDS)).isTrue();
            }
            return answer;
        });
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (Deduplicator dedup = deduplicator(false)) {
            Bridge other = new Bridge(dedup, slow);
            List<Future<Boolean>> deliveries = new ArrayList<>();
            Runnable failing = () -> {
                deliveries.add(thread.submit(() -> other.handle(TOPIC, "order-0", () -> handled("order-0"))));
                await().until(() ->
                        otherHasLooked.getCount() == 0 || deliveries.get(0).isDone());
                throw new IllegalStateException("fails");
            };
            assertThatIllegalStateException()
                    .isThrownBy(() -> new Bridge(dedup, old).handle(TOPIC, "order-0", failing));
            await().until(() -> oldConsumer.consume("order-0"));
            otherMayGoOn.countDown();

            deliveries.get(0).get(60, TimeUnit.SECONDS);
            deliver(0, 1, List.of(id -> bridged(new Bridge(dedup, old), id)));
        } finally {
            thread.shutdownNow();
        }
        assertEachOnce(1);
    }

    /** Somebody's failure removes the entry between the bridge's two looks at it. */
    @ParameterizedTest
    @EnumSource(names = {"REDIS_KEYS", "CAMEL_TABLE", "METADATA_TABLE", "METADATA_HASH"})
    void entryIsRemovedBetweenTwoLooks(Scheme scheme) {
        OldScheme sibling = open(scheme);
        assertThat(sibling.claim("order-0")).isEqualTo(Entry.NEW);

        assertThat(open(scheme, () -> sibling.failed("order-0")).claim("order-0"))
                .isEqualTo(Entry.NEW);
    }

    @Test
    void importLeavesOutWhatABridgeRemoves() {
        OldScheme bridges = open(Scheme.REDIS_KEYS);
        bridges.claim("order-0");

        assertThat(open(Scheme.REDIS_KEYS, () -> bridges.failed("order-0")).handled())
                .isEmpty();
    }

    /** The effect is there, and so dedup records it. */
    @Test
    void oldStoreFailsAfterTheEffect() {
        OldScheme old = around(open(Scheme.JASKEY_KEYS), OldScheme.class, (method, call) -> {
            if (method.equals("done")) {
                throw new IllegalStateException("the old store is down");
            }
            return call.call();
        });
        try (Deduplicator dedup = deduplicator(false)) {
            Bridge bridge = new Bridge(dedup, old);
            assertThat(bridge.handle(TOPIC, "order-0", () -> handled("order-0")))
                    .isTrue();
            assertThat(bridge.handle(TOPIC, "order-0", () -> handled("order-0")))
                    .isTrue();
        }
        assertEachOnce(1);
    }

    @Test
    void fromLeasedToTransactional() throws Exception {
        try (Deduplicator leased = leased(store);
                Deduplicator transactional = deduplicator(true)) {
            Consumer before = id -> consume(leased, id, () -> effect(id, false), false);
            Consumer after = id -> consume(transactional, id, () -> effect(id, true), true);

            deliver(0, THIRD, List.of(before));
            deliver(0, 2 * THIRD, List.of(before, after));
            deliver(0, 3 * THIRD, List.of(after));
        }
        assertEachOnce(3 * THIRD);
    }

    @Test
    void fromRedisToJdbc() throws Exception {
        try (RedisDedupStore front = RedisDedupStore.builder()
                        .commandTimeout(Duration.ofSeconds(20))
                        .uri(RedisServers.shared().uri())
                        .namespace(name)
                        .build();
                Deduplicator leased = leased(front);
                Deduplicator tiered = Deduplicators.builder(front)
                        .consumer(name)
                        .transactions(store.transactions(manager))
                        .defaults(policy(builder -> builder.mode(DedupMode.TIERED)))
                        .build();
                Deduplicator transactional = deduplicator(true)) {
            Consumer inRedis = id -> consume(leased, id, () -> effect(id, false), false);
            Consumer inBoth = id -> consume(tiered, id, () -> effect(id, true), true);

            deliver(0, THIRD, List.of(inRedis));
            deliver(0, 2 * THIRD, List.of(inRedis, inBoth));
            deliver(0, 3 * THIRD, List.of(inBoth));
            assertEachOnce(3 * THIRD);

            // After one window, what only Redis knew is over; what was handled since is in the table.
            Consumer inTable = id -> consume(transactional, id, () -> effect(id, true), true);
            deliver(2 * THIRD, 3 * THIRD, List.of(inBoth, inTable));
        }
        assertEachOnce(3 * THIRD);
    }

    private void assertEachOnce(int ids) {
        assertThat(effects)
                .hasSize(ids)
                .allSatisfy((id, times) -> assertThat(times).as(id).isEqualTo(1));
    }

    private Deduplicator leased(DedupStore in) {
        return Deduplicators.builder(in)
                .consumer(name)
                .defaults(policy(builder -> builder))
                .build();
    }

    private Deduplicator deduplicator(boolean transactional) {
        return Deduplicators.builder(store)
                .consumer(name)
                .transactions(store.transactions(manager))
                .defaults(policy(builder -> transactional ? builder.mode(DedupMode.TRANSACTIONAL) : builder))
                .build();
    }

    private static DedupPolicy policy(UnaryOperator<DedupPolicy.Builder> changes) {
        return changes.apply(DedupPolicy.builder().window(Duration.ofDays(7)).inFlightWait(Duration.ZERO))
                .build();
    }

    /** One delivery; false if it is to be delivered again. */
    private interface Consumer {
        boolean consume(String id);
    }

    /** Delivers each ID several times, in any order, to the consumers, one thread each and more. */
    private void deliver(int from, int to, List<Consumer> consumers) throws Exception {
        List<String> ids = new ArrayList<>();
        for (int copy = 0; copy < COPIES; copy++) {
            IntStream.range(from, to).forEach(i -> ids.add("order-" + i));
        }
        Collections.shuffle(ids, new Random(to));
        Queue<String> topic = new ConcurrentLinkedQueue<>(ids);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Consumer consumer = consumers.get(i % consumers.size());
            running.add(threads.submit(() -> {
                for (String id = topic.poll(); id != null; id = topic.poll()) {
                    if (!consumer.consume(id)) {
                        topic.add(id);
                    }
                }
            }));
        }
        for (Future<?> each : running) {
            each.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
    }

    /** An entry of an old consumer, made as its scheme makes it. */
    private Entry claimOld(Scheme scheme, OldScheme old, String id) {
        boolean isNew = switch (scheme) {
            case REDIS_KEYS ->
                redis.set(name + ":" + id, "1", SetArgs.Builder.nx().ex(86_400)) != null;
            case CAMEL_TABLE ->
                jdbc.update(
                                "INSERT INTO CAMEL_MESSAGEPROCESSED (processorName, messageId, createdAt)"
                                        + " VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                                name,
                                id,
                                LocalDateTime.now(ZoneId.systemDefault()))
                        == 1;
            case CAMEL_SET -> redis.sadd(name, id) == 1;
            case METADATA_TABLE ->
                jdbc.update(
                                "INSERT INTO INT_METADATA_STORE (METADATA_KEY, METADATA_VALUE, REGION)"
                                        + " VALUES (?, 'a UUID', ?) ON CONFLICT DO NOTHING",
                                id,
                                name)
                        == 1;
            case METADATA_HASH -> redis.hsetnx(name, id, "a UUID");
            case UNIQUE_KEY_TABLE, JASKEY_TABLE, JASKEY_KEYS -> false;
        };
        if (scheme == Scheme.JASKEY_TABLE || scheme == Scheme.JASKEY_KEYS) {
            return old.claim(id); // the same for both
        }
        return isNew ? Entry.NEW : Entry.KNOWN;
    }

    private boolean consumeOld(Scheme scheme, OldScheme old, String id) {
        Entry entry = claimOld(scheme, old, id);
        if (entry != Entry.NEW) {
            return entry == Entry.KNOWN;
        }
        try {
            effect(id, false);
        } catch (IllegalStateException e) {
            old.failed(id);
            return false;
        }
        old.done(id);
        return true;
    }

    private boolean consumeInTransaction(OldScheme old, String id) {
        uncommitted.set(new ArrayList<>());
        try {
            new TransactionTemplate(manager).executeWithoutResult(status -> {
                if (old.claim(id) == Entry.NEW) {
                    effect(id, true);
                }
            });
        } catch (IllegalStateException e) {
            return false;
        }
        commit();
        return true;
    }

    private boolean bridged(Bridge bridge, String id) {
        try {
            return bridge.handle(TOPIC, id, () -> effect(id, false));
        } catch (IllegalStateException e) {
            return false;
        }
    }

    private boolean consume(Deduplicator dedup, String id, Runnable work, boolean inTransaction) {
        uncommitted.set(new ArrayList<>());
        DedupHandler<@Nullable Void, RuntimeException> handler = context -> {
            work.run();
            return null;
        };
        DedupOutcome<@Nullable Void> outcome;
        try {
            outcome = dedup.execute(dedup.key(TOPIC, id), handler);
        } catch (IllegalStateException e) {
            return false;
        }
        if (outcome instanceof DedupOutcome.Handled && inTransaction) {
            commit();
        }
        return !(outcome instanceof DedupOutcome.Deferred);
    }

    private void effect(String id, boolean inTransaction) {
        if (ThreadLocalRandom.current().nextInt(10) == 0) {
            throw new IllegalStateException("fails now and then");
        }
        if (inTransaction) {
            uncommitted.get().add(id);
        } else {
            handled(id);
        }
    }

    private void handled(String id) {
        effects.merge(id, 1, Integer::sum);
    }

    private void commit() {
        uncommitted.get().forEach(this::handled);
    }

    /** Other connections do something before its questions. */
    private static final class InterruptedTemplate extends JdbcTemplate {
        private final Runnable beforeQuestion;

        InterruptedTemplate(Runnable beforeQuestion) {
            super(POOL);
            this.beforeQuestion = beforeQuestion;
        }

        @Override
        public <T> @Nullable T query(
                PreparedStatementCreator creator,
                @Nullable PreparedStatementSetter setter,
                ResultSetExtractor<T> extractor) {
            CompletableFuture.runAsync(beforeQuestion).join(); // a thread outside of this one's transaction
            return super.query(creator, setter, extractor);
        }
    }
}
