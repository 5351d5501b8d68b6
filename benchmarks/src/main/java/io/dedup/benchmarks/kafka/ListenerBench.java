package io.dedup.benchmarks.kafka;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.subject.ByHandStore;
import io.dedup.benchmarks.subject.ByHandStore.State;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.ledger.scheme.Scheme;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.GenericMessageListener;
import org.springframework.kafka.listener.MessageListener;

/**
 * A topic of records with 200 bytes, of which each fifth is a copy of one a hundred before it, and containers that read it from
 * its beginning, each in a group of its own, for which all IDs are new.
 */
public final class ListenerBench {
    private static final String TOPIC = "benchmark";
    private static final int COPY_EACH = 5;
    private static final int COPY_OF_BEFORE = 100;
    private static final String VALUE = "v".repeat(200);

    private final String bootstrap;
    private final int records;
    private final Duration longest;
    private final IntConsumer watcher;
    private final AtomicInteger groups = new AtomicInteger();

    /**
     * Fills the topic.
     *
     * @param longest how long one is measured at most
     */
    public ListenerBench(int records, Duration longest) {
        this(KafkaServers.shared().bootstrapServers(), records, longest, count -> {});
        fill(records);
    }

    /**
     * On a topic that is filled.
     *
     * @param watcher is told on the consumer's thread how many records have come so far
     */
    public ListenerBench(String bootstrap, int records, Duration longest, IntConsumer watcher) {
        this.bootstrap = bootstrap;
        this.records = records;
        this.longest = longest;
        this.watcher = watcher;
    }

    private void fill(int records) {
        KafkaServers.shared().createTopic(TOPIC, 1);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < records; i++) {
                int id = i % COPY_EACH == COPY_EACH - 1 && i >= COPY_OF_BEFORE ? i - COPY_OF_BEFORE - 1 : i;
                Future<?> unused = producer.send(new ProducerRecord<>(TOPIC, Ids.text(id), VALUE));
            }
        }
    }

    /**
     * How many records a second go through a listener on one thread, from the first to the last.
     *
     * @param store null for the bare listener
     * @param handler how long it takes; zero does nothing
     */
    public double recordsPerSecond(@Nullable DedupStore store, boolean ahead, Duration handler) {
        String group = newGroup();
        if (store == null) {
            return run(container(group, handling(handler)), dedup -> {});
        }
        return deduplicated(
                group, Deduplicators.builder(store).defaults(DedupPolicy.defaults()), ahead, handling(handler));
    }

    /** The same with a batch listener, claimed and completed a batch at a time. */
    public double batchRecordsPerSecond(DedupStore store, Duration handler) {
        BatchMessageListener<String, String> listener = records -> records.forEach(record -> take(handler));
        return deduplicated(newGroup(), Deduplicators.builder(store).defaults(DedupPolicy.defaults()), false, listener);
    }

    /** The same with any settings and any listener. */
    double deduplicated(String group, DeduplicatorBuilder settings, boolean ahead, GenericMessageListener<?> listener) {
        try (Deduplicator dedup = settings.consumer(group).build();
                KafkaDedup kafka = KafkaDedup.builder(dedup)
                        .id(KafkaMessageIds.key())
                        .claimAhead(ahead)
                        .build()) {
            return run(container(group, listener), kafka::decorate);
        }
    }

    /** The same, counted by what dedup reports: a container without interceptors, for transactions that span a poll. */
    double deduplicatedWithoutInterceptors(
            String group, DeduplicatorBuilder settings, GenericMessageListener<?> listener) {
        Progress progress = new Progress();
        ConcurrentMessageListenerContainer<String, String> container = container(group, listener);
        try (Deduplicator dedup = settings.consumer(group)
                        .listener(new Reported(progress))
                        .build();
                KafkaDedup kafka =
                        KafkaDedup.builder(dedup).id(KafkaMessageIds.key()).build()) {
            kafka.decorate(container);
            return run(container, progress);
        }
    }

    /** Counts messages when their handling is committed, and duplicates. */
    private record Reported(Progress progress) implements DedupListener {
        @Override
        public void acquired(DedupKey key, int attempt) {
            progress.begin();
        }

        @Override
        public void completed(DedupKey key, Duration handlerTime) {
            progress.one();
        }

        @Override
        public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
            progress.one();
        }
    }

    /** Without anything of ours around the listener. */
    double plain(String group, GenericMessageListener<?> listener) {
        return run(container(group, listener), dedup -> {});
    }

    /** The same with a record listener that deduplicates each record by what an expert writes. */
    public double recordsByHandSingly(ByHandStore store, Duration handler) {
        String group = newGroup();
        AtomicInteger records = new AtomicInteger();
        MessageListener<String, String> listener = record -> {
            String id = group + ":" + record.key();
            String owner = group + "-" + records.incrementAndGet();
            State state = store.claim(id, owner);
            if (state == State.IN_FLIGHT) {
                throw new IllegalStateException("another consumer has it"); // the container seeks back to it
            }
            if (state == State.MINE) {
                take(handler);
                store.complete(id, owner);
            }
        };
        return plain(group, listener);
    }

    /** The same with a receiver of others around the handler. */
    public double recordsPerSecond(OtherReceivers.Maker maker, Duration handler) {
        String group = newGroup();
        try (Scheme receiver = maker.make(group)) {
            MessageListener<String, String> listener = record -> handle(receiver, record.key(), handler);
            return run(container(group, listener), dedup -> {});
        } catch (Exception e) {
            throw new IllegalStateException("a receiver cannot be measured", e);
        }
    }

    /** The same with a batch listener that deduplicates each poll by what an expert writes. */
    public double recordsByHand(ByHandStore store, Duration handler) {
        String group = newGroup();
        Progress progress = new Progress();
        AtomicInteger polls = new AtomicInteger();
        BatchMessageListener<String, String> listener = records ->
                handle(store, group + ":", group + "-" + polls.incrementAndGet(), records, progress, handler);
        return run(container(group, listener), progress);
    }

    private static void handle(
            ByHandStore store,
            String prefix,
            String owner,
            List<ConsumerRecord<String, String>> records,
            Progress progress,
            Duration handler) {
        Set<String> ids = new LinkedHashSet<>(2 * records.size());
        records.forEach(record -> ids.add(prefix + record.key()));
        Map<String, State> states = store.claimAll(ids, owner);
        if (states.containsValue(State.IN_FLIGHT)) {
            throw new IllegalStateException("another consumer has one of them"); // the container seeks back to them
        }
        List<String> done = new ArrayList<>(ids.size());
        for (ConsumerRecord<String, String> record : records) {
            String id = prefix + record.key();
            if (states.replace(id, State.MINE, State.DONE)) {
                take(handler);
                done.add(id);
            }
            progress.one();
        }
        store.completeAll(done, owner);
    }

    private static void handle(Scheme receiver, String id, Duration handler) {
        try {
            receiver.handle(id, () -> take(handler));
        } catch (Exception e) {
            throw new IllegalStateException("not handled", e);
        }
    }

    private static MessageListener<String, String> handling(Duration time) {
        return record -> take(time);
    }

    String newGroup() {
        return "group-" + groups.incrementAndGet() + "-" + System.nanoTime();
    }

    static void take(Duration time) {
        if (!time.isZero()) {
            long until = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < until) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
        }
    }

    private double run(
            ConcurrentMessageListenerContainer<String, String> container,
            Consumer<ConcurrentMessageListenerContainer<String, String>> decorate) {
        Progress progress = new Progress();
        container.setRecordInterceptor((record, consumer) -> {
            progress.one();
            return record;
        });
        container.setBatchInterceptor(new Batches(progress));
        decorate.accept(container);
        return run(container, progress);
    }

    /** Counts those of a batch when it has been handled: a deduplicated listener sees only some of them. */
    private record Batches(Progress progress) implements BatchInterceptor<String, String> {
        @Override
        public ConsumerRecords<String, String> intercept(
                ConsumerRecords<String, String> records,
                org.apache.kafka.clients.consumer.Consumer<String, String> by) {
            progress.begin();
            return records;
        }

        @Override
        public void success(
                ConsumerRecords<String, String> records,
                org.apache.kafka.clients.consumer.Consumer<String, String> by) {
            progress.many(records.count());
        }
    }

    private static double run(ConcurrentMessageListenerContainer<String, String> container, Progress progress) {
        container.start();
        try {
            return progress.await();
        } finally {
            container.stop();
        }
    }

    /** Counts on the consumer's thread. */
    private final class Progress {
        private final CountDownLatch over = new CountDownLatch(1);
        private int count;
        private long first;
        private long took;

        /** Where what comes first isn't counted until it has been handled. */
        void begin() {
            if (first == 0) {
                first = System.nanoTime();
            }
        }

        void one() {
            many(1);
        }

        void many(int more) {
            if (took > 0) {
                return;
            }
            count += more;
            watcher.accept(count);
            long now = System.nanoTime();
            if (first == 0) {
                first = now;
            } else if (count >= records || now - first > longest.toNanos()) {
                took = now - first;
                over.countDown();
            }
        }

        double await() {
            try {
                if (!over.await(longest.plusMinutes(1).toMillis(), TimeUnit.MILLISECONDS)) {
                    throw new IllegalStateException("the listener has come to a halt");
                }
                return (count - 1) * 1e9 / took;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            String group, GenericMessageListener<?> listener) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("group.id", group);
        config.put("auto.offset.reset", "earliest");
        config.put("max.poll.records", 500);
        ContainerProperties properties = new ContainerProperties(TOPIC);
        properties.setStopImmediate(true);
        properties.setMessageListener(listener);
        return new ConcurrentMessageListenerContainer<>(
                new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer()),
                properties);
    }
}
