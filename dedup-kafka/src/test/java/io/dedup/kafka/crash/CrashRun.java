package io.dedup.kafka.crash;

import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.kafka.KafkaAddress;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * One round: two consumer processes, of which one is killed again and again at random moments while messages keep coming, some
 * of them twice, and partitions move. Then everything is counted.
 */
final class CrashRun {
    private static final int PARTITIONS = 4;
    private static final int CONSUMERS = 2;
    private static final Duration START = Duration.ofMinutes(10);
    private static final Duration END = Duration.ofMinutes(10);

    /** A kill waits so long for listeners that have had nothing yet, and then happens without counting for them. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Map<String, SqlDatabase> databases;
    private final List<Plan> plans;
    private final ConsumerStarts starts;
    private final int messagesPerKill;
    private final Random random;
    private final String run = "crash" + UUID.randomUUID().toString().substring(0, 8);
    private final KafkaAddress kafka;
    private final String bootstrap;
    private final Map<Trial, List<Transfer>> sent = new LinkedHashMap<>();
    private final Map<Trial, Integer> kills = new LinkedHashMap<>();
    private final KafkaProducer<String, String> producer;

    /**
     * @param databases by their names
     * @param messagesPerKill for each trial
     */
    CrashRun(
            KafkaAddress kafka,
            Map<String, SqlDatabase> databases,
            List<Plan> plans,
            ConsumerStarts starts,
            int messagesPerKill,
            long seed) {
        this.kafka = kafka;
        this.bootstrap = kafka.bootstrapServers();
        this.databases = databases;
        this.plans = plans;
        this.starts = starts;
        this.messagesPerKill = messagesPerKill;
        this.random = new Random(seed);
        this.producer = new KafkaProducer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrap,
                        "linger.ms",
                        5,
                        "delivery.timeout.ms",
                        (int) END.toMillis(),
                        // A retry may send a copy: that is what is tested. On a starved machine an idempotent producer
                        // once got
                        // OutOfOrderSequenceException for one batch, again and again, until its delivery timeout.
                        "enable.idempotence",
                        false),
                new StringSerializer(),
                new StringSerializer());
    }

    /**
     * What a trial's promise has come to.
     *
     * @param kills those of a process whose listener had handled a message
     * @param twiceByEffect in the order of {@link Bank#effects}; their sum is {@code twice}
     */
    record Count(
            Trial trial,
            int kills,
            int messages,
            int moves,
            int twice,
            int missing,
            boolean balanced,
            List<Integer> twiceByEffect) {
        boolean isExact() {
            return twice == 0 && missing == 0 && balanced;
        }

        /** LEASED may run a message again, whose consumer died between its effect and DONE; it never loses one. */
        boolean keepsPromise() {
            return trial.plan().isExact() ? isExact() : missing == 0;
        }
    }

    /** Kills a consumer so often, lets the other finish, and counts. */
    List<Count> kill(int times) throws Exception {
        open();
        List<Consumer> consumers = new ArrayList<>();
        try (producer) {
            send(messagesPerKill);
            for (int i = 0; i < CONSUMERS; i++) {
                consumers.add(new Consumer(starts.start(arguments())));
            }
            for (int i = 0; i < times; i++) {
                int victim = i % CONSUMERS;
                sendUntilReady(consumers, victim);
                LockSupport.parkNanos(
                        TimeUnit.MILLISECONDS.toNanos(random.nextInt(400))); // a random moment is the point
                consumers.get(victim).kill();
                consumers.get(victim).ready.forEach(trial -> kills.merge(trial, 1, Integer::sum));
                consumers.set(victim, new Consumer(starts.start(arguments())));
            }
            awaitConsumed(consumers);
            return sent.keySet().stream().map(this::count).toList();
        } finally {
            for (Consumer consumer : consumers) {
                consumer.kill();
            }
        }
    }

    /** A round without kills, whose consumer leaves an archive of its classes. */
    void rehearse() throws Exception {
        open();
        try (producer) {
            Consumer consumer = new Consumer(starts.rehearse(arguments()));
            try {
                long until = System.nanoTime() + START.toNanos();
                while (!consumer.process.waitFor(1, TimeUnit.SECONDS) && System.nanoTime() - until < 0) {
                    send(1);
                }
            } finally {
                consumer.kill();
            }
        }
    }

    private void open() {
        databases.forEach((name, database) -> {
            Bank.of(database).open(plans);
            JdbcDedupStore.builder(dataSource(database))
                    .initializeSchema(InitializeSchema.ALWAYS)
                    .build()
                    .close();
            for (Trial trial : Trial.on(name, plans)) {
                kafka.createTopic(trial.topic(run), PARTITIONS);
                sent.put(trial, new ArrayList<>());
            }
        });
    }

    private static DriverManagerDataSource dataSource(SqlDatabase database) {
        return new DriverManagerDataSource(database.jdbcUrl(), database.user(), database.password());
    }

    private List<String> arguments() {
        List<String> all = new ArrayList<>(List.of(
                bootstrap,
                run,
                RedisServers.shared().uri(),
                plans.stream().map(Plan::name).collect(Collectors.joining(","))));
        databases.forEach((name, database) ->
                all.addAll(List.of(name, database.jdbcUrl(), database.user(), database.password())));
        return all;
    }

    /** Sends a kill's messages meanwhile, and then a few for a process that the other one has left nothing. */
    private void sendUntilReady(List<Consumer> consumers, int which) throws Exception {
        long start = System.nanoTime();
        int portion = Math.max(1, messagesPerKill / 6);
        int left = messagesPerKill;
        while (left > 0 || !isReady(consumers.get(which), System.nanoTime() - start)) {
            int messages = left > 0 ? Math.min(portion, left) : 1;
            send(messages);
            left -= messages;
            if (!consumers.get(which).process.isAlive()) { // it couldn't start on a machine that is too busy
                consumers.set(which, new Consumer(starts.start(arguments())));
            }
            consumers.get(which).process.waitFor(isReady(consumers.get(which), 0) ? 20 : 200, TimeUnit.MILLISECONDS);
        }
    }

    private boolean isReady(Consumer consumer, long waitedNanos) {
        if (waitedNanos > START.toNanos()) {
            throw new IllegalStateException("a consumer hasn't handled anything after " + START);
        }
        return consumer.ready.size() == sent.size() || (!consumer.ready.isEmpty() && waitedNanos > PATIENCE.toNanos());
    }

    /** So many messages for each trial, and every fourth of them once more, to another partition perhaps. */
    private void send(int messages) throws ExecutionException, InterruptedException {
        List<Future<?>> sending = new ArrayList<>();
        sent.forEach((trial, all) -> {
            for (int i = 0; i < messages; i++) {
                int from = random.nextInt(Bank.ACCOUNTS);
                int to = (from + 1 + random.nextInt(Bank.ACCOUNTS - 1)) % Bank.ACCOUNTS;
                Transfer transfer = new Transfer("m" + all.size(), from, to, 1 + random.nextInt(1_000));
                all.add(transfer);
                sending.add(send(trial, transfer));
                if (i % 4 == 0) {
                    sending.add(send(trial, all.get(random.nextInt(all.size()))));
                }
            }
        });
        for (Future<?> each : sending) {
            each.get();
        }
    }

    private Future<?> send(Trial trial, Transfer transfer) {
        var record = new ProducerRecord<String, String>(
                trial.topic(run), random.nextInt(PARTITIONS), null, transfer.value());
        record.headers().add("id", transfer.id().getBytes(StandardCharsets.UTF_8));
        return producer.send(record);
    }

    private void awaitConsumed(List<Consumer> consumers) throws Exception {
        long until = System.nanoTime() + END.toNanos();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (Trial trial : sent.keySet()) {
                while (!isConsumed(admin, trial.topic(run))) {
                    if (System.nanoTime() - until > 0) {
                        throw new IllegalStateException(trial + " hasn't consumed everything after " + END);
                    }
                    for (int i = 0; i < consumers.size(); i++) {
                        if (!consumers.get(i).process.isAlive()) { // it couldn't start on a machine that is too busy
                            consumers.set(i, new Consumer(starts.start(arguments())));
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

    private Count count(Trial trial) {
        Bank bank = Bank.of(databases.get(trial.database()));
        Plan plan = trial.plan();
        List<Transfer> all = sent.get(trial);
        long[] expected = new long[Bank.ACCOUNTS];
        for (Transfer transfer : all) {
            expected[transfer.from()] -= transfer.amount();
            expected[transfer.to()] += transfer.amount();
        }
        boolean balanced = bank.sum(plan) == Bank.ACCOUNTS * Bank.BALANCE;
        for (int i = 0; i < Bank.ACCOUNTS; i++) {
            balanced &= bank.balance(plan, i) == Bank.BALANCE + expected[i];
        }
        int moves = 0;
        int missing = 0;
        List<Integer> twice = new ArrayList<>();
        for (String effect : Bank.effects(plan)) {
            int count = (int) bank.count(plan, effect);
            int distinct = (int) bank.countDistinct(plan, effect);
            moves += count;
            missing += all.size() - distinct;
            twice.add(count - distinct);
        }
        return new Count(
                trial,
                kills.getOrDefault(trial, 0),
                all.size(),
                moves,
                twice.stream().mapToInt(Integer::intValue).sum(),
                missing,
                balanced,
                twice);
    }

    /** A consumer process, and which of its listeners have handled a message. */
    private static final class Consumer {
        private final Process process;
        private final Set<Trial> ready = ConcurrentHashMap.newKeySet();

        Consumer(Process process) throws IOException {
            this.process = process;
            Thread reader = new Thread(() -> process.inputReader().lines().forEach(line -> {
                String[] words = line.split(" ", -1);
                if (words[0].equals("READY")) {
                    ready.add(new Trial(words[1], Plan.valueOf(words[2])));
                } else if (line.contains("ERROR")) {
                    System.out.println(line);
                }
            }));
            reader.setDaemon(true);
            reader.start();
        }

        /** SIGKILL. */
        void kill() throws InterruptedException {
            process.destroyForcibly().waitFor();
        }
    }
}
