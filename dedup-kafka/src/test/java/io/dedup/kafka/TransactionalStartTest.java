package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.support.KafkaHeaders;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.backoff.FixedBackOff;

/** Handlers that join the transaction, and what is refused because it wouldn't. */
class TransactionalStartTest {
    @EnableKafka
    @EnableTransactionManagement(proxyTargetClass = true)
    static class Config {}

    private final Ledger ledger = Ledger.postgres();
    private final Scene scene = ledger.scene(DedupMode.TRANSACTIONAL);
    private final List<String> recovered = new CopyOnWriteArrayList<>();
    private final MessageListener<String, String> listener = record -> ledger.effect(Scene.id(record));

    @AfterEach
    void close() {
        scene.close();
        ledger.close();
    }

    private <T> AnnotationConfigApplicationContext context(Class<T> type, T bean) {
        var context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("topic", scene.topic, "group", scene.group)));
        context.register(Config.class);
        context.registerBean("transactionManager", PlatformTransactionManager.class, () -> ledger.manager);
        context.registerBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class, () -> {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(
                    scene.consumerConfig(), new StringDeserializer(), new StringDeserializer()));
            factory.getContainerProperties().setPollTimeout(200);
            factory.setCommonErrorHandler(new DefaultErrorHandler(
                    (record, e) -> recovered.add(Scene.id(record) + ": " + rootOf(e)), new FixedBackOff(0, 1)));
            factory.setContainerCustomizer(scene.kafka.customizer());
            return factory;
        });
        context.registerBean("listener", type, () -> bean);
        scene.closeLater(context);
        context.refresh();
        return context;
    }

    private static String rootOf(Throwable thrown) {
        Throwable each = thrown;
        while (each.getCause() != null) {
            each = each.getCause();
        }
        return String.valueOf(each.getMessage());
    }

    private static String text(byte[] id) {
        return new String(id, StandardCharsets.UTF_8);
    }

    static class Joining {
        private final Ledger ledger;

        Joining(Ledger ledger) {
            this.ledger = ledger;
        }

        @Transactional
        @KafkaListener(id = "joining", groupId = "${group}", topics = "${topic}")
        public void on(String value, @Header("id") byte[] id, @Header(KafkaHeaders.OFFSET) long offset) {
            ledger.effect(text(id));
            if (offset == 1) {
                throw new IllegalStateException("no");
            }
        }
    }

    @Test
    @DisplayName("a handler's own @Transactional joins: what it marked for rollback takes the record along")
    void joins() {
        scene.send("a", "bad", "a", "b");

        context(Joining.class, new Joining(ledger));

        scene.awaitCommitted(4);
        assertThat(ledger.effects()).containsExactly("a", "b");
        assertThat(recovered).containsExactly("bad: no");
        assertThat(ledger.jdbc.queryForObject("SELECT count(*) FROM dedup_record", Long.class))
                .isEqualTo(2);
    }

    static class Later {
        @KafkaListener(id = "laterTx", groupId = "${group}", topics = "${topic}")
        public CompletableFuture<Void> on(String value) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class LaterObject {
        private final Ledger ledger;

        LaterObject(Ledger ledger) {
            this.ledger = ledger;
        }

        @SuppressWarnings("FutureReturnValueIgnored") // that is what this is about
        @KafkaListener(id = "laterObject", groupId = "${group}", topics = "${topic}")
        public Object on(@Header("id") byte[] id) {
            ledger.effect(text(id));
            return CompletableFuture.completedFuture(null);
        }
    }

    @Test
    @DisplayName("K2 work that ends later than its call: refused at start where it is declared, else rolled back")
    void endsLater() {
        assertThatThrownBy(() -> context(Later.class, new Later()))
                .hasStackTraceContaining("Kafka transaction: a transaction belongs to one thread");

        var properties = scene.properties(AckMode.MANUAL, listener);
        properties.setAsyncAcks(true);
        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of())))
                .hasStackTraceContaining("asyncAcks in a transactional mode");

        scene.send("a");
        context(LaterObject.class, new LaterObject(ledger));
        scene.awaitCommitted(1);
        assertThat(ledger.effects()).isEmpty();
        assertThat(recovered).hasSize(1);
        assertThat(recovered.get(0)).contains("within a transaction");
    }

    static class Outside {
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @KafkaListener(id = "outside", groupId = "${group}", topics = "${topic}")
        public void on(String value) {}
    }

    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    static class OutsideByClass {
        @KafkaListener(id = "byClass", groupId = "${group}", topics = "${topic}")
        public void on(String value) {}
    }

    @Test
    @DisplayName("K11 a handler with REQUIRES_NEW or NOT_SUPPORTED, also by its class, is refused at start")
    void refusesOutside() {
        assertThatThrownBy(() -> context(Outside.class, new Outside()))
                .rootCause()
                .hasMessageContaining("topic " + scene.topic + " has mode TRANSACTIONAL")
                .hasMessageContaining("Outside.on is @Transactional(propagation = REQUIRES_NEW)")
                .hasMessageContaining("REQUIRED");
        assertThatThrownBy(() -> context(OutsideByClass.class, new OutsideByClass()))
                .rootCause()
                .hasMessageContaining("OutsideByClass.on is @Transactional(propagation = NOT_SUPPORTED)");
    }

    @Test
    @DisplayName("K11 REQUIRES_NEW within a handler is refused when it is tried; nothing of the handler stays")
    void refusesSuspension() {
        TransactionTemplate apart = new TransactionTemplate(ledger.manager);
        apart.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
        scene.send("a");
        var container = scene.container(AckMode.RECORD, (MessageListener<String, String>) record -> {
            ledger.effect("before");
            apart.executeWithoutResult(status -> ledger.effect("apart"));
        });
        container.setCommonErrorHandler(
                new DefaultErrorHandler((record, e) -> recovered.add(rootOf(e)), new FixedBackOff(0, 1)));
        scene.start(container);

        scene.awaitCommitted(1);
        assertThat(ledger.effects()).isEmpty();
        assertThat(recovered).hasSize(1).first().asString().contains("REQUIRES_NEW");
    }

    @Test
    @SuppressWarnings({"deprecation", "removal"})
    @DisplayName("K11 a transaction manager on the container commits offsets before the database: refused")
    void refusesManager() {
        var properties = scene.properties(AckMode.RECORD, listener);
        properties.setTransactionManager(ledger.manager);

        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("before the database commits")
                .hasMessageContaining("Remove transactionManager");
    }

    @Test
    @DisplayName("K5 a filter that doesn't acknowledge what it drops would have it come again for ever: refused")
    void refusesFilterWithoutAcks() {
        AcknowledgingMessageListener<String, String> manual = (record, ack) -> ack.acknowledge();

        assertThatThrownBy(() -> scene.start(
                        scene.container(AckMode.MANUAL, new FilteringMessageListenerAdapter<>(manual, record -> true))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ackDiscarded");
        scene.send("a", "b");
        scene.runUntilCommitted(
                scene.container(AckMode.MANUAL, new FilteringMessageListenerAdapter<>(manual, record -> true, true)));
    }

    @Test
    @DisplayName("a Kafka transaction around a transactional mode could lose outputs: refused, with the way out")
    void refusesKafkaTransactions() {
        var properties = scene.properties(AckMode.RECORD, listener);
        properties.setKafkaAwareTransactionManager(kafkaTransactions());

        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("outbox");
    }

    private KafkaTransactionManager<String, String> kafkaTransactions() {
        return new KafkaTransactionManager<>(new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", scene.bootstrap, "transactional.id", "tx"),
                new StringSerializer(),
                new StringSerializer()));
    }

    @Test
    @DisplayName("topics of two modes in one batch listener are refused; in a record listener each has its own")
    void modes() {
        String other = scene.topic + "-leased";
        KafkaServers.shared().createTopic(other, 1);
        try (Deduplicator dedup = Deduplicators.builder(ledger.table)
                        .transactions(ledger.transactions)
                        .consumer(scene.group + "2")
                        .topic(scene.topic, policy -> policy.mode(DedupMode.TRANSACTIONAL))
                        .build();
                KafkaDedup kafka = KafkaDedup.builder(dedup)
                        .id(KafkaMessageIds.header("id"))
                        .build()) {
            ContainerProperties both = new ContainerProperties(scene.topic, other);
            both.setMessageListener((BatchMessageListener<String, String>) records -> {});
            var container = scene.container(both, Map.of());
            kafka.decorate(container);
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("LEASED=" + other)
                    .hasMessageContaining("TRANSACTIONAL=" + scene.topic);

            List<ConsumerRecord<String, String>> seen = new CopyOnWriteArrayList<>();
            ContainerProperties single = new ContainerProperties(scene.topic, other);
            single.setMessageListener((MessageListener<String, String>) seen::add);
            var records = scene.container(single, Map.of());
            kafka.decorate(records);
            records.start();
            scene.send("a", "a");
            await().until(() -> seen.size() == 1);
            records.stop();
        }
    }

    static class OutsideByPattern {
        private final List<String> seen;

        OutsideByPattern(List<String> seen) {
            this.seen = seen;
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @KafkaListener(id = "byPattern", groupId = "${group}", topicPattern = "${topic}.*")
        public void on(String value) {
            seen.add(value);
        }
    }

    @Test
    @DisplayName("K11 what cannot be in the transaction stops a listener also where a pattern finds its topics")
    void refusesByPattern() {
        List<String> seen = new CopyOnWriteArrayList<>();
        scene.send("a");
        MessageListenerContainer container = context(OutsideByPattern.class, new OutsideByPattern(seen))
                .getBean(KafkaListenerEndpointRegistry.class)
                .getListenerContainer("byPattern");
        await().until(() -> !container.isRunning());
        assertThat(seen).isEmpty();
        assertThat(recovered).isEmpty();
        assertThat(scene.committed()).isEmpty();

        var properties = new ContainerProperties(Pattern.compile(scene.topic + ".*"));
        properties.setAckMode(AckMode.MANUAL);
        AcknowledgingMessageListener<String, String> manual = (record, ack) -> ack.acknowledge();
        properties.setMessageListener(new FilteringMessageListenerAdapter<>(manual, record -> true));
        var filtering = scene.container(properties, Map.of());
        scene.start(filtering);
        await().until(() -> !filtering.isRunning());
        assertThat(scene.committed()).isEmpty();
    }

    @Test
    @DisplayName(
            "a topic of another mode that a pattern finds later stops a batch listener, also in a cooperative group")
    void modesByPattern() {
        String later = scene.topic + "-later";
        try (Deduplicator dedup = Deduplicators.builder(ledger.table)
                        .transactions(ledger.transactions)
                        .consumer(scene.group + "3")
                        .topic(scene.topic, policy -> policy.mode(DedupMode.TRANSACTIONAL))
                        .build();
                KafkaDedup kafka = KafkaDedup.builder(dedup)
                        .id(KafkaMessageIds.header("id"))
                        .build()) {
            List<ConsumerRecord<String, String>> seen = new CopyOnWriteArrayList<>();
            ContainerProperties properties = new ContainerProperties(Pattern.compile(scene.topic + ".*"));
            properties.setMessageListener((BatchMessageListener<String, String>) seen::addAll);
            var container = scene.container(
                    properties,
                    Map.of(
                            "partition.assignment.strategy",
                            CooperativeStickyAssignor.class.getName(),
                            "metadata.max.age.ms",
                            "200"));
            kafka.decorate(container);
            container.start();
            scene.send("a");
            await().until(() -> seen.size() == 1);

            KafkaServers.shared().createTopic(later, 1);

            await().until(() -> !container.isRunning());
        }
    }
}
