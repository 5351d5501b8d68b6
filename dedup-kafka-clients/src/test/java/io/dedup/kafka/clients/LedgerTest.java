package io.dedup.kafka.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.testkit.faults.StoreFault;
import io.dedup.testkit.faults.StoreFault.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Consumers come, go and crash, commits and handlers fail, wake-ups arrive, the store is out: each message takes effect
 * once. What fails here fails before its effect or after it was recorded, so that nothing may happen twice.
 */
@DisplayName("Ledger of poll loops: nothing is lost, nothing happens twice")
class LedgerTest {
    private static final int PARTITIONS = 6;
    private static final int MESSAGES = 1200;
    private static final int CONSUMERS = 3;
    private static final int KINDS_OF_FAULTS = 6;
    private static final int FAULTS_PER_CONSUMER = 8;

    private static final Map<String, Map<String, Object>> PROTOCOLS = Map.of(
            "cooperative", Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
            "eager", Map.of(),
            "static", Map.of("group.instance.id", "member"),
            "consumer", Map.of("group.protocol", "consumer"));

    private final ConcurrentHashMap<String, AtomicInteger> effects = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();

    @ParameterizedTest(name = "{0}, in batches: {1}")
    @CsvSource({"cooperative,false", "eager,false", "static,false", "consumer,false", "cooperative,true"})
    void ledger(String protocol, boolean batches) throws Exception {
        DedupPolicy policy = DedupPolicy.builder()
                .lease(Duration.ofSeconds(2))
                .maxDeferDelay(Duration.ofMillis(200))
                .build();
        try (Scene scene = new Scene(PARTITIONS, policy)) {
            send(scene);
            ExecutorService threads = Executors.newFixedThreadPool(CONSUMERS);
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CONSUMERS; i++) {
                Member member = new Member(scene, protocol, batches, i);
                running.add(threads.submit(member));
            }
            for (Future<?> each : running) {
                each.get();
            }
            threads.shutdown();
        }
        Set<String> missing = new HashSet<>(
                IntStream.range(0, MESSAGES).mapToObj(String::valueOf).toList());
        missing.removeAll(effects.keySet());
        assertThat(missing).as("lost").isEmpty();
        assertThat(effects.entrySet().stream().filter(each -> each.getValue().get() > 1))
                .as("doubled")
                .isEmpty();
        assertThat(new HashSet<>(events)).contains("crash", "commit failed", "handler failed", "woken up", "outage");
    }

    /** Each message twice or three times, on two partitions. */
    private static void send(Scene scene) {
        for (int i = 0; i < PARTITIONS; i++) { // many at once get stuck while a broker still creates the partition
            scene.send(i, "0");
        }
        Random random = new Random(1);
        List<ProducerRecord<String, String>> all = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            String id = String.valueOf(i);
            all.add(new ProducerRecord<>(scene.topic, i % PARTITIONS, id, id));
            all.add(new ProducerRecord<>(scene.topic, (i + 1) % PARTITIONS, id, id));
            if (i % 5 == 0) {
                all.add(new ProducerRecord<>(scene.topic, i % PARTITIONS, id, id));
            }
        }
        Collections.shuffle(all, random);
        scene.sendAll(all);
    }

    /** One process after the other, as a deduplicator and a consumer. */
    private final class Member implements Runnable {
        private final Scene scene;
        private final String protocol;
        private final boolean batches;
        private final int number;
        private final Random random;
        private final List<Integer> kinds;
        private int faults;

        Member(Scene scene, String protocol, boolean batches, int number) {
            this.scene = scene;
            this.protocol = protocol;
            this.batches = batches;
            this.number = number;
            this.random = new Random(number);
            this.kinds = kinds(random);
        }

        /** Each kind once, so that no run lacks one; then any. */
        private static List<Integer> kinds(Random random) {
            List<Integer> kinds =
                    new ArrayList<>(IntStream.range(0, KINDS_OF_FAULTS).boxed().toList());
            Collections.shuffle(kinds, random);
            while (kinds.size() < FAULTS_PER_CONSUMER) {
                kinds.add(random.nextInt(KINDS_OF_FAULTS));
            }
            return kinds;
        }

        @Override
        public void run() {
            while (live()) {
                // the next life
            }
        }

        private Map<String, Object> config() {
            Map<String, Object> config = new HashMap<>(PROTOCOLS.get(protocol));
            config.computeIfPresent("group.instance.id", (key, name) -> name + "-" + number);
            config.put("max.poll.records", 25);
            if (!config.containsKey("group.protocol")) {
                // A member that leaves in a rebalance may not be heard, and by default keeps its partitions for 45 s.
                config.put("session.timeout.ms", 8_000);
                config.put("heartbeat.interval.ms", 1_000);
            }
            return config;
        }

        /** Returns false if all is handled and committed. */
        private boolean live() {
            FaultyConsumer consumer = new FaultyConsumer(scene.consumer(config()));
            try (Deduplicator deduplicator = scene.deduplicator();
                    KafkaConsumer<String, String> observer = scene.consumer(Map.of())) {
                DedupPoll<String, String> poll = DedupPoll.builder(deduplicator)
                        .id(KafkaMessageIds.key())
                        .retryDelay(Duration.ofMillis(10), Duration.ofMillis(50))
                        .open(consumer.consumer, List.of(scene.topic));
                long begin = System.nanoTime();
                while (true) {
                    try {
                        if (batches) {
                            int unused = poll.pollBatch(Scene.SHORT, this::handle);
                        } else {
                            int unused = poll.poll(Scene.SHORT, this::handle);
                        }
                        if (faults < FAULTS_PER_CONSUMER) {
                            if (inject(consumer)) {
                                return true; // crashed
                            }
                        } else if (System.nanoTime() - begin
                                > Duration.ofMillis(300).toNanos()) {
                            begin = System.nanoTime();
                            if (isAllCommitted(observer)) {
                                poll.close();
                                return false;
                            }
                        }
                    } catch (WakeupException e) {
                        events.add("woken up");
                    }
                }
            }
        }

        /** Returns true if the process has crashed: nothing is committed or closed properly. */
        private boolean inject(FaultyConsumer consumer) {
            if (random.nextInt(3) != 0) {
                return false;
            }
            switch (kinds.get(faults++)) {
                case 0 -> consumer.consumer.wakeup();
                case 1 -> {
                    consumer.fail("commitSync", () -> failed(new TimeoutException("lost")));
                    consumer.fail("commitSync", () -> failed(new RebalanceInProgressException()));
                }
                case 2 -> consumer.fail("commitSync", () -> failed(new CommitFailedException()));
                case 3 -> {
                    events.add("outage");
                    scene.store.inject(StoreFault.before(Operation.CLAIM).times(5));
                    scene.store.inject(StoreFault.after(Operation.COMPLETE).times(1));
                }
                case 4 -> consumer.fail("commitSync", WakeupException::new);
                default -> {
                    events.add("crash");
                    // Two that leave during a rebalance would wait for each other: by default up to 30 s.
                    consumer.consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
                    return true;
                }
            }
            return false;
        }

        private RuntimeException failed(RuntimeException failure) {
            events.add("commit failed");
            return failure;
        }

        private void handle(ConsumerRecord<String, String> record) {
            if (random.nextInt(40) == 0) {
                events.add("handler failed");
                throw new IllegalStateException("before the effect");
            }
            effects.computeIfAbsent(record.value(), unused -> new AtomicInteger())
                    .incrementAndGet();
        }

        private void handle(List<ConsumerRecord<String, String>> records) {
            if (random.nextInt(8) == 0) {
                events.add("handler failed");
                throw new IllegalStateException("before the effects");
            }
            records.forEach(record -> effects.computeIfAbsent(record.value(), unused -> new AtomicInteger())
                    .incrementAndGet());
        }

        private boolean isAllCommitted(KafkaConsumer<String, String> observer) {
            return IntStream.range(0, PARTITIONS).allMatch(partition -> scene.isCommittedToEnd(observer, partition));
        }
    }
}
