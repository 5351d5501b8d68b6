package io.dedup.soak.consumer;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.soak.plan.EffectFile;
import io.dedup.soak.plan.Lane;
import io.dedup.store.DedupStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** A lane's listener, whose container stays, and guest consumers, which join its group and leave it again. */
final class LaneListener implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LaneListener.class);

    /** Short, so that records expire within a run. */
    private static final Duration WINDOW = Duration.ofSeconds(60);

    /** One handling in so many fails. */
    private static final int FAILS = 1_000;

    private static final int CONSUMERS = 2;
    private static final int POLL = 500;

    private final Lane lane;
    private final String bootstrap;
    private final EffectFile effects;
    private final Deduplicator dedup;
    private final KafkaDedup kafka;
    private final ExecutorService worker = Executors.newSingleThreadExecutor();
    private final ConcurrentMessageListenerContainer<String, String> container;

    LaneListener(Lane lane, String bootstrap, DedupStore store, EffectFile effects) {
        this.lane = lane;
        this.bootstrap = bootstrap;
        this.effects = effects;
        this.dedup = Deduplicators.builder(store)
                .consumer(lane.id())
                .topic(lane.id(), policy -> policy.window(WINDOW).maxDeferDelay(Duration.ofMillis(200)))
                .build();
        this.kafka = KafkaDedup.builder(dedup).id(KafkaMessageIds.header("id")).build();
        this.container = newContainer("stays", CONSUMERS);
    }

    void start() {
        container.start();
    }

    ConcurrentMessageListenerContainer<String, String> container() {
        return container;
    }

    /** Joins the group when it is started, and leaves it when it is stopped. */
    ConcurrentMessageListenerContainer<String, String> guest() {
        return newContainer("guest", 1);
    }

    private ConcurrentMessageListenerContainer<String, String> newContainer(String name, int consumers) {
        ContainerProperties properties = new ContainerProperties(lane.id());
        properties.setPollTimeout(100);
        switch (lane) {
            case REDIS, JDBC -> properties.setMessageListener((MessageListener<String, String>) this::handle);
            case REDIS_BATCH -> properties.setMessageListener((BatchMessageListener<String, String>) this::handleAll);
            case REDIS_MANUAL -> {
                properties.setAckMode(ContainerProperties.AckMode.MANUAL);
                properties.setMessageListener((AcknowledgingMessageListener<String, String>) this::handleElsewhere);
            }
        }
        var made = new ConcurrentMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(settings(), new StringDeserializer(), new StringDeserializer()),
                properties);
        made.setBeanName(lane.id() + "-" + name);
        made.setConcurrency(consumers);
        made.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, FixedBackOff.UNLIMITED_ATTEMPTS)));
        kafka.decorate(made);
        return made;
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("group.id", lane.id());
        settings.put("auto.offset.reset", "earliest");
        settings.put("max.poll.records", POLL);
        // A small heap doesn't hold the clients' usual 50 MiB for each consumer.
        settings.put("fetch.max.bytes", 1024 * 1024);
        settings.put("max.partition.fetch.bytes", 256 * 1024);
        switch (lane) {
            case REDIS, JDBC ->
                settings.put("partition.assignment.strategy", CooperativeStickyAssignor.class.getName());
            case REDIS_BATCH -> settings.put("partition.assignment.strategy", RangeAssignor.class.getName());
            case REDIS_MANUAL -> settings.put("group.protocol", "consumer");
        }
        return settings;
    }

    private void handle(ConsumerRecord<String, String> record) {
        if (ThreadLocalRandom.current().nextInt(FAILS) == 0) {
            throw new IllegalStateException("fails now and then");
        }
        effect(record);
    }

    /** Names the failed record; otherwise the records before it, which have had their effects, would be handled again. */
    private void handleAll(List<ConsumerRecord<String, String>> records) {
        for (ConsumerRecord<String, String> record : records) {
            try {
                handle(record);
            } catch (IllegalStateException e) {
                throw new BatchListenerFailedException("fails now and then", e, record);
            }
        }
    }

    private void handleElsewhere(ConsumerRecord<String, String> record, @Nullable Acknowledgment acknowledgment) {
        if (ThreadLocalRandom.current().nextInt(FAILS) == 0) {
            throw new IllegalStateException("fails now and then");
        }
        worker.execute(() -> {
            effect(record);
            try {
                if (acknowledgment != null) {
                    acknowledgment.acknowledge();
                }
            } catch (RuntimeException e) {
                log.warn("an acknowledgment of {} failed", lane, e);
            }
        });
    }

    private void effect(ConsumerRecord<String, String> record) {
        effects.add(
                Integer.parseInt(new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        container.stop();
        kafka.close();
        dedup.close();
        worker.shutdown();
    }
}
