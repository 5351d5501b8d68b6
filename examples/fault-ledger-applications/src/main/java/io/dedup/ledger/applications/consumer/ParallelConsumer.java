package io.dedup.ledger.applications.consumer;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.confluent.parallelconsumer.internal.DrainingCloseable.DrainingMode;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.examples.parallel.ParallelOrders;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.SmartLifecycle;

/** Confluent's parallel consumer with the function of the example. */
final class ParallelConsumer implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(ParallelConsumer.class);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration WATCH = Duration.ofMillis(200);
    private static final int WORKERS = 6;

    private final String bootstrap;
    private final JdbcDedupStore store;
    private final Deduplicator deduplicator;
    private final KafkaProducer<String, String> deadLetters;
    private final ParallelStreamProcessor<String, String> processor;
    private final ParallelOrders orders;
    private volatile boolean running;

    ParallelConsumer(
            Handling handling,
            DataSource database,
            @Value("${ledger.bootstrap}") String bootstrap,
            @Value("${dedup.defaults.lease}") Duration lease,
            @Value("${dedup.defaults.max-defer-delay}") Duration delay) {
        this.bootstrap = bootstrap;
        store = JdbcDedupStore.builder(database).build();
        deduplicator = Deduplicators.builder(store)
                .consumer("stock")
                .topic(
                        "orders",
                        policy -> policy.lease(lease).inFlightWait(delay).maxDeferDelay(delay))
                .listener(handling)
                .build();
        deadLetters = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
        orders = new ParallelOrders(deduplicator, handling::handle, this::deadLetter);
        processor = ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<String, String>builder()
                .consumer(consumer())
                .ordering(ProcessingOrder.UNORDERED)
                .maxConcurrency(WORKERS)
                .commitInterval(RETRY)
                .retryDelayProvider(record -> RETRY)
                .build());
    }

    private KafkaConsumer<String, String> consumer() {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("group.id", "stock");
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        config.put("session.timeout.ms", 1500);
        config.put("heartbeat.interval.ms", 300);
        return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    }

    private void deadLetter(ConsumerRecord<String, String> record) {
        try {
            var unused = deadLetters
                    .send(new ProducerRecord<>("orders-dlq", record.key(), record.value()))
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void start() {
        running = true;
        processor.subscribe(List.of("orders"));
        processor.poll(orders);
        Thread watch = new Thread(this::watch, "watch");
        watch.setDaemon(true);
        watch.start();
    }

    /** Ends the process if the consumer has stopped by itself, as an orchestrator would. */
    private void watch() {
        while (!processor.isClosedOrFailed()) {
            LockSupport.parkNanos(WATCH.toNanos());
        }
        if (running) {
            log.error("the parallel consumer has stopped by itself");
            Runtime.getRuntime().halt(1);
        }
    }

    @Override
    public void stop() {
        running = false;
        processor.close(Duration.ofSeconds(20), DrainingMode.DONT_DRAIN);
        deduplicator.close();
        store.close();
        deadLetters.close(Duration.ofSeconds(1));
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
