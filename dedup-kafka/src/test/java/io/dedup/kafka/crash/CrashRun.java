package io.dedup.kafka.crash;

import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.process.ChildJvm;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * One run: two consumer processes, of which one is killed again and again at random moments while messages keep coming, some
 * of them twice, and partitions move. Then everything is counted.
 */
final class CrashRun {
    private static final int PARTITIONS = 4;
    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration END = Duration.ofMinutes(2);

    private final SqlDatabase database;
    private final Random random;
    private final String run = "crash" + UUID.randomUUID().toString().substring(0, 8);
    private final String bootstrap = KafkaServers.shared().bootstrapServers();
    private final Map<Plan, List<Transfer>> sent = new EnumMap<>(Plan.class);
    private final KafkaProducer<String, String> producer = new KafkaProducer<>(
            Map.of("bootstrap.servers", bootstrap, "linger.ms", 5), new StringSerializer(), new StringSerializer());

    CrashRun(SqlDatabase database, long seed) {
        this.database = database;
        this.random = new Random(seed);
    }

    /** What a plan's promise has come to. */
    record Count(Plan plan, int messages, int moves, int twice, int missing, boolean balanced) {
        boolean isExact() {
            return twice == 0 && missing == 0 && balanced;
        }
    }

    /** Kills a consumer so often, lets the other finish, and counts. */
    List<Count> kill(int times) throws Exception {
        Bank bank = Bank.of(database);
        bank.open();
        JdbcDedupStore.builder(new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password()))
                .initializeSchema(InitializeSchema.ALWAYS)
                .build()
                .close();
        for (Plan plan : Plan.values()) {
            KafkaServers.shared().createTopic(plan.topic(run), PARTITIONS);
            sent.put(plan, new ArrayList<>());
        }
        List<Consumer> consumers = new ArrayList<>();
        try (producer) {
            send(50);
            consumers.add(new Consumer());
            consumers.add(new Consumer());
            for (int i = 0; i < times; i++) {
                int victim = i % 2;
                send(40);
                awaitReady(consumers, victim);
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(random.nextInt(400))); // a random moment is the point
                consumers.get(victim).kill();
                consumers.set(victim, new Consumer());
            }
            awaitConsumed(consumers);
            List<Count> counts = new ArrayList<>();
            for (Plan plan : Plan.values()) {
                counts.add(count(bank, plan));
            }
            return counts;
        } finally {
            for (Consumer consumer : consumers) {
                consumer.kill();
            }
        }
    }

    private void awaitReady(List<Consumer> consumers, int which) throws Exception {
        long until = System.nanoTime() + START.toNanos();
        while (!consumers.get(which).awaitReady()) {
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("a consumer hasn't handled anything after " + START);
            }
            if (consumers.get(which).isAlive()) {
                send(10); // the other one may have had everything
            } else {
                consumers.set(which, new Consumer());
            }
        }
    }

    /** So many messages for each plan, and every fourth of them once more, to another partition perhaps. */
    private void send(int messages) throws ExecutionException, InterruptedException {
        List<Future<?>> sending = new ArrayList<>();
        for (Plan plan : Plan.values()) {
            List<Transfer> all = sent.get(plan);
            for (int i = 0; i < messages; i++) {
                int from = random.nextInt(Bank.ACCOUNTS);
                int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
                Transfer transfer = new Transfer("m" + all.size(), from, to, 1 + random.nextInt(1_000));
                all.add(transfer);
                sending.add(send(plan, transfer));
                if (i % 4 == 0) {
                    sending.add(send(plan, all.get(random.nextInt(all.size()))));
                }
            }
        }
        for (Future<?> each : sending) {
            each.get();
        }
    }

    private Future<?> send(Plan plan, Transfer transfer) {
        var record =
                new ProducerRecord<String, String>(plan.topic(run), random.nextInt(PARTITIONS), null, transfer.value());
        record.headers().add("id", transfer.id().getBytes(StandardCharsets.UTF_8));
        return producer.send(record);
    }

    private void awaitConsumed(List<Consumer> consumers) throws Exception {
        long until = System.nanoTime() + END.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (Plan plan : Plan.values()) {
                while (!isConsumed(admin, plan.topic(run))) {
                    if (System.nanoTime() - until > 0) {
                        throw new IllegalStateException(plan + " hasn't consumed everything after " + END);
                    }
                    for (int i = 0; i < consumers.size(); i++) {
                        if (!consumers.get(i).isAlive()) { // it couldn't start on a machine that is too busy
                            consumers.set(i, new Consumer());
                        }
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                }
            }
        }
    }

    private static boolean isConsumed(Admin admin, String topic) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(topic)
                .partitionsToOffsetAndMetadata()
                .get();
        for (int i = 0; i < PARTITIONS; i++) {
            TopicPartition partition = new TopicPartition(topic, i);
            long end = admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
            OffsetAndMetadata offset = committed.get(partition);
            if (end > 0 && (offset == null || offset.offset() < end)) {
                return false;
            }
        }
        return true;
    }

    private Count count(Bank bank, Plan plan) {
        List<Transfer> all = sent.get(plan);
        long[] expected = new long[Bank.ACCOUNTS];
        for (Transfer transfer : all) {
            expected[transfer.from()] -= transfer.amount();
            expected[transfer.to()] += transfer.amount();
        }
        boolean balanced = bank.sum(plan) == Bank.ACCOUNTS * Bank.BALANCE;
        for (int i = 0; i < Bank.ACCOUNTS; i++) {
            balanced &= bank.balance(plan, i) == Bank.BALANCE + expected[i];
        }
        int moves = (int) bank.moves(plan);
        int distinct = (int) bank.distinctMoves(plan);
        return new Count(plan, all.size(), moves, moves - distinct, all.size() - distinct, balanced);
    }

    /** A consumer process. */
    private final class Consumer {
        private final Process process;
        private final CountDownLatch ready = new CountDownLatch(1);

        Consumer() throws IOException {
            process = ChildJvm.start(
                    CrashConsumer.class,
                    bootstrap,
                    run,
                    RedisServers.shared().uri(),
                    database.jdbcUrl(),
                    database.user(),
                    database.password());
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> {
                if (line.equals("READY")) {
                    ready.countDown();
                } else if (line.contains("ERROR")) {
                    System.out.println(line);
                }
            }));
            reader.setDaemon(true);
            reader.start();
        }

        /** Waits for a moment; false when it hasn't handled anything yet. */
        boolean awaitReady() throws InterruptedException {
            return ready.await(3, TimeUnit.SECONDS);
        }

        boolean isAlive() {
            return process.isAlive();
        }

        /** SIGKILL. */
        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }
}
