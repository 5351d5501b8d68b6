package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.kafka.KafkaServers;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerPostProcessor;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.util.backoff.FixedBackOff;

/** Kafka transactions around a scene's listener, with an output topic, and faults of their commits. */
final class Transactions {
    /** What is done instead of a commit. */
    interface Commit {
        void run(Producer<?, ?> producer);
    }

    final Scene scene;
    final String output;
    final String idPrefix;
    final KafkaTransactionManager<String, String> manager;
    final KafkaTemplate<String, String> template;
    final List<String> recovered = new CopyOnWriteArrayList<>();
    /** Instead of the next commit of a transaction that has sent something. */
    final AtomicReference<Commit> next = new AtomicReference<>();

    private final ThreadLocal<Boolean> sent = new ThreadLocal<>();

    Transactions(Scene scene) {
        this.scene = scene;
        this.output = scene.topic + "-out";
        this.idPrefix = "tx-" + scene.topic + "-";
        KafkaServers.shared().createTopic(output, 1);
        var factory = new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", scene.bootstrap, "linger.ms", 0),
                new StringSerializer(),
                new StringSerializer());
        factory.setTransactionIdPrefix(idPrefix);
        factory.addPostProcessor(new Faulty());
        scene.closeLater(factory::destroy);
        this.manager = new KafkaTransactionManager<>(factory);
        this.template = new KafkaTemplate<>(factory);
    }

    private final class Faulty implements ProducerPostProcessor<String, String> {
        @Override
        @SuppressWarnings("unchecked")
        public Producer<String, String> apply(Producer<String, String> producer) {
            return (Producer<String, String>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Producer.class}, (self, method, arguments) -> {
                        switch (method.getName()) {
                            case "beginTransaction" -> sent.remove();
                            case "send" -> sent.set(true);
                            case "commitTransaction" -> {
                                Commit instead = sent.get() == null ? null : next.getAndSet(null);
                                if (instead != null) {
                                    instead.run(producer);
                                    return null;
                                }
                            }
                            default -> {}
                        }
                        try {
                            return method.invoke(producer, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    /** Sends an output, and adds the ID to the effects, which no rollback takes back. */
    void handle(ConsumerRecord<String, String> record) {
        String id = Scene.id(record);
        send(id);
        scene.effects.add(id);
    }

    void send(String value) {
        CompletableFuture<?> ignored = template.send(output, value); // the commit waits for it
    }

    ConcurrentMessageListenerContainer<String, String> container(AckMode mode, Object listener) {
        return container(mode, listener, 1);
    }

    /** With a processor that gives up after so many retries. */
    ConcurrentMessageListenerContainer<String, String> container(AckMode mode, Object listener, int retries) {
        ContainerProperties properties = scene.properties(mode, listener);
        properties.setKafkaAwareTransactionManager(manager);
        var container = scene.container(properties, Map.of("isolation.level", "read_committed"));
        container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                (record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, retries)));
        return container;
    }

    /** Another instance takes the place of the first producers, as after a pause that was taken for their death. */
    void fence(int producers) {
        for (int i = 0; i < producers; i++) {
            try (var producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", scene.bootstrap, "transactional.id", idPrefix + i),
                    new StringSerializer(),
                    new StringSerializer())) {
                producer.initTransactions();
            }
        }
    }

    /** What readers of committed outputs see, when all of the input is committed. */
    List<String> outputs() {
        List<String> found = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", (Object) scene.bootstrap, "isolation.level", "read_committed"),
                new StringDeserializer(),
                new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(output, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(100)).forEach(record -> found.add(record.value()));
            }
        }
        return found;
    }

    void awaitOutputs(String... ids) {
        await().untilAsserted(() -> assertThat(outputs()).containsExactly(ids));
    }
}
