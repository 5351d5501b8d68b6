package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dedup.DedupContext;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.deferral.DeferralAwareErrorHandler;
import io.dedup.kafka.internal.spring.FailureHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonContainerStoppingErrorHandler;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.CommonMixedErrorHandler;
import org.springframework.kafka.listener.ConsumerAwareRecordRecoverer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.ContainerProperties.AssignmentCommitOption;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.kafka.transaction.KafkaTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.backoff.FixedBackOff;

/** What is refused at start, and with which words. */
class StartCheckTest {
    private final Scene scene = new Scene();
    private final MessageListener<String, String> listener =
            record -> scene.effect().accept(record);

    /** What is logged for the topic's container. */
    private final class Lines implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger(KafkaLog.NAME);
        private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

        Lines() {
            appender.list = new CopyOnWriteArrayList<>();
            appender.start();
            logger.addAppender(appender);
        }

        List<String> about(String text) {
            return appender.list.stream()
                    .map(ILoggingEvent::getFormattedMessage)
                    .filter(line -> line.contains(scene.topic) && line.contains(text))
                    .toList();
        }

        @Override
        public void close() {
            logger.detachAppender(appender);
        }
    }

    @AfterEach
    void close() {
        scene.close();
    }

    @Test
    @DisplayName("enable.auto.commit is refused, wherever it is set")
    void autoCommit() {
        assertThatThrownBy(() -> scene.start(
                        scene.container(scene.properties(AckMode.BATCH, listener), Map.of("enable.auto.commit", true))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("enable.auto.commit");
        var properties = scene.properties(AckMode.BATCH, listener);
        properties.getKafkaConsumerProperties().setProperty("enable.auto.commit", "true");
        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of("enable.auto.commit", false))))
                .hasMessageContaining("enable.auto.commit");
    }

    @ParameterizedTest
    @CsvSource({"latest,NEVER,true", "latest,LATEST_ONLY_NO_TX,false", "earliest,NEVER,false"})
    @DisplayName("K1 a start at the end without a commit there is warned of: a restart would skip an unhandled record")
    void beginning(String reset, AssignmentCommitOption option, boolean warned) {
        try (Lines lines = new Lines()) {
            var properties = scene.properties(AckMode.BATCH, listener);
            properties.setAssignmentCommitOption(option);
            scene.start(scene.container(properties, Map.of("auto.offset.reset", reset)));
            assertThat(lines.about("auto.offset.reset"))
                    .hasSize(warned ? 1 : 0)
                    .allSatisfy(line -> assertThat(line)
                            .contains("assignmentCommitOption is NEVER")
                            .contains("Set it to earliest"));
        }
    }

    @Test
    @DisplayName(
            "an error handler that only logs what it gives up on is warned of, and a rejected record's line says that it is gone")
    void rejectedAreGone() {
        try (Lines lines = new Lines()) {
            scene.send(scene.record(0, null, "no ID"));
            scene.start(scene.container(AckMode.BATCH, listener));
            scene.awaitCommitted(1);
            assertThat(lines.about("has no recoverer"))
                    .satisfiesExactly(
                            atStart -> assertThat(atStart)
                                    .contains("onMissingId is FAIL, but its DefaultErrorHandler has no recoverer"),
                            gone -> assertThat(gone)
                                    .contains("Record " + scene.topic
                                            + "-0@0 is rejected (no usable message ID) and gone"));
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true, 0", "true, false, 1", "false, true, 1"})
    @DisplayName(
            "a rollback processor that recovers nothing of a batch is warned of: what is rejected would come again without end")
    void rejectedInBatches(boolean commitRecovered, boolean recoverBatches, int warned) {
        try (Lines lines = new Lines()) {
            Transactions transactions = new Transactions(scene);
            var container = transactions.container(
                    AckMode.BATCH, (BatchMessageListener<String, String>) records -> records.forEach(scene.effect()));
            container.getContainerProperties().setBatchRecoverAfterRollback(recoverBatches);
            container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                    (record, e) -> {}, new FixedBackOff(0, 0), transactions.template, commitRecovered));
            scene.start(container);
            assertThat(lines.about("DefaultAfterRollbackProcessor recovers nothing of a batch"))
                    .hasSize(warned);
        }
    }

    @Test
    @DisplayName("an error handler with a recoverer isn't warned of, and a rejected record's line says where it goes")
    void rejectedAreKept() {
        try (Lines lines = new Lines()) {
            scene.send(scene.record(0, null, "no ID"));
            var container = scene.container(AckMode.BATCH, listener);
            container.setCommonErrorHandler(new DefaultErrorHandler((record, e) -> {}));
            scene.start(container);
            scene.awaitCommitted(1);
            assertThat(lines.about("has no recoverer")).isEmpty();
            assertThat(lines.about("-0@0 is rejected (no usable message ID), and passed to DefaultErrorHandler"))
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("which error handlers only log what they give up on")
    void onlyLogs() {
        DefaultErrorHandler keeps = new DefaultErrorHandler((record, e) -> {});
        ConsumerAwareRecordRecoverer aware = (record, consumer, e) -> {};
        assertThat(List.of(
                        new DefaultErrorHandler(),
                        new DefaultErrorHandler(new FixedBackOff(0, 1)),
                        new DefaultAfterRollbackProcessor<>(),
                        new CommonLoggingErrorHandler(),
                        new CommonMixedErrorHandler(keeps, new DefaultErrorHandler()),
                        new CommonDelegatingErrorHandler(new DefaultErrorHandler())))
                .allMatch(FailureHandlers::onlyLogs);
        assertThat(List.of(
                        keeps,
                        new DefaultErrorHandler(aware),
                        new DefaultAfterRollbackProcessor<>((record, e) -> {}),
                        new CommonContainerStoppingErrorHandler(),
                        new CommonMixedErrorHandler(keeps, keeps),
                        new CommonDelegatingErrorHandler(keeps)))
                .noneMatch(FailureHandlers::onlyLogs);
    }

    static class Detached implements MessageListener<String, String> {
        @Override
        @Async
        public void onMessage(ConsumerRecord<String, String> record) {}
    }

    @Test
    @DisplayName("an @Async handler is refused: its records would be done before their effects")
    void asyncHandler() {
        ProxyFactory proxy = new ProxyFactory(new Detached());
        proxy.addAdvisor(new AsyncAnnotationAdvisor());
        assertThatThrownBy(() -> scene.start(scene.container(AckMode.BATCH, proxy.getProxy())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("handler Detached.onMessage is @Async");
    }

    @Test
    @DisplayName(
            "a second group on a topic under the same consumer name is refused: each would lose what the other does")
    void secondGroup() {
        scene.start(scene.container(AckMode.BATCH, listener));
        var properties = scene.properties(AckMode.BATCH, listener);
        properties.setGroupId("mail");
        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("mail")
                .hasMessageContaining(scene.topic)
                .hasMessageContaining(scene.group)
                .hasMessageContaining("consumer name");
        KafkaDedup other = scene.closeLater(
                KafkaDedup.builder(scene.dedup).id(KafkaMessageIds.header("id")).build());
        var container = scene.container(properties, Map.of());
        other.decorate(container);
        assertThatThrownBy(container::start).hasMessageContaining("consumer name");
    }

    @Test
    @DisplayName("a second group whose pattern finds the topic is stopped before it consumes anything")
    void secondGroupByPattern() {
        scene.start(scene.container(AckMode.BATCH, listener));
        scene.send("a");
        scene.awaitEffects("a");
        var properties = new ContainerProperties(Pattern.compile(Pattern.quote(scene.topic)));
        properties.setGroupId("mail-" + scene.topic);
        properties.setPollTimeout(200);
        properties.setMessageListener(listener);
        var container = scene.start(scene.container(properties, Map.of()));
        await().until(() -> !container.isRunning());
        assertThat(scene.events).containsExactly("completed a");
    }

    @Test
    @DisplayName("asyncAcks of a batch listener is refused: a batch is acknowledged as a whole")
    void asyncAcks() {
        var properties = scene.properties(AckMode.MANUAL, (BatchMessageListener<String, String>) records -> {});
        properties.setAsyncAcks(true);
        assertThatThrownBy(() -> scene.start(scene.container(properties, Map.of())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("asyncAcks");
    }

    record OneContext() {
        @KafkaListener(id = "one", groupId = "${group}", topics = "${topic}", batch = "true")
        public void on(List<String> values, DedupContext context) {}
    }

    record Contexts() {
        @KafkaListener(id = "many", groupId = "${group}", topics = "${topic}", batch = "true")
        public void on(List<String> values, List<DedupContext> contexts) {}
    }

    @Test
    @DisplayName("a batch method with DedupContext parameters, which would fail with every batch, is refused")
    void contextsOfBatches() {
        for (Object batch : List.of(new OneContext(), new Contexts())) {
            assertThatThrownBy(() -> new AnnotatedScene(scene).start(batch))
                    .rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(batch.getClass().getSimpleName() + ".on has a DedupContext parameter")
                    .hasMessageContaining("record by record");
        }
    }

    @Test
    @DisplayName("K10 a Kafka transaction manager that is set after the decoration is refused")
    void transactionsSetLater() {
        var container = scene.container(AckMode.BATCH, listener);
        scene.kafka.decorate(container);
        var producers = new DefaultKafkaProducerFactory<String, String>(
                Map.of("bootstrap.servers", scene.bootstrap, "transactional.id", "tx"),
                new StringSerializer(),
                new StringSerializer());
        container.getContainerProperties().setKafkaAwareTransactionManager(new KafkaTransactionManager<>(producers));
        assertThatThrownBy(container::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("kafkaAwareTransactionManager")
                .hasMessageContaining("then decorate");
    }

    @Test
    @DisplayName("K3 an error handler that was replaced after the decoration is refused")
    void replacedErrorHandler() {
        var container = scene.container(AckMode.BATCH, listener);
        scene.kafka.decorate(container);
        container.setCommonErrorHandler(new DefaultErrorHandler());
        assertThatThrownBy(container::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("error handler");
    }

    @Test
    @DisplayName(
            "K1 a listener that was wrapped afterwards is refused; one that is hidden stops the container, acking nothing")
    void wrappedListener() {
        scene.send("a");
        var container = scene.container(AckMode.BATCH, listener);
        scene.kafka.decorate(container);
        @SuppressWarnings("unchecked")
        var ours = (MessageListener<String, String>)
                container.getContainerProperties().getMessageListener();
        container.setupMessageListener(new FilteringMessageListenerAdapter<>(ours, record -> false));
        if (SpringKafkaLine.OLDER) { // its adapters don't ask what they wrap before the consumer's thread has begun
            container.start();
            await().until(() -> !container.isRunning());
        } else {
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("wrapped");
        }

        var hidden = scene.container(AckMode.BATCH, (MessageListener<String, String>) ours::onMessage);
        hidden.start();
        await().until(() -> !hidden.isRunning());
        assertThat(scene.effects).isEmpty();
        assertThat(scene.committed()).isEmpty();
    }

    @Test
    void topicWithoutExtractor() {
        try (KafkaDedup kafka = KafkaDedup.builder(scene.dedup)
                .id("another", KafkaMessageIds.key())
                .build()) {
            var container = scene.container(AckMode.BATCH, listener);
            kafka.decorate(container);
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(scene.topic)
                    .hasMessageContaining("id(\"" + scene.topic);
            var properties = new ContainerProperties(Pattern.compile("t.*"));
            properties.setMessageListener(listener);
            var pattern = scene.container(properties, Map.of());
            kafka.decorate(pattern);
            assertThatThrownBy(pattern::start)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("t.*");
        }
    }

    @Test
    void noExtractorAtAll() {
        assertThatThrownBy(() -> KafkaDedup.builder(scene.dedup).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("No message ID extractor is set");
    }

    @Test
    void noListener() {
        var container = scene.container(new ContainerProperties(scene.topic), Map.of());
        assertThatThrownBy(() -> scene.kafka.decorate(container))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no message listener");
    }

    @Test
    @DisplayName("a second decoration changes nothing; the user's handler stays below")
    void idempotent() {
        var container = scene.container(AckMode.BATCH, listener);
        var handler = new CommonLoggingErrorHandler();
        container.setCommonErrorHandler(handler);
        scene.kafka.decorate(container);
        Object decorated = container.getContainerProperties().getMessageListener();
        scene.kafka.decorate(container);
        assertThat(container.getContainerProperties().getMessageListener()).isSameAs(decorated);
        assertThat(container.getCommonErrorHandler())
                .isInstanceOfSatisfying(
                        DeferralAwareErrorHandler.class,
                        ours -> assertThat(ours.delegate()).isSameAs(handler));
    }

    @Test
    @DisplayName("a topic pattern, and partitions without a group, work: done when the handler returns")
    void patternAndPartitions() {
        scene.send("a", "a");
        var properties = new ContainerProperties(Pattern.compile(scene.topic + ".*"));
        properties.setMessageListener(listener);
        scene.start(scene.container(properties, Map.of())).stop();
        var config = scene.consumerConfig();
        config.remove("group.id");
        var assigned = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0, 0L));
        assigned.setMessageListener(listener);
        for (int i = 0; i < 2; i++) {
            var container = new KafkaMessageListenerContainer<String, String>(
                    new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer()),
                    assigned);
            scene.start(container);
            String next = "n" + i;
            scene.send(next);
            await().until(() -> scene.effects.contains(next));
            container.stop();
        }
        assertThat(scene.effects).containsExactly("a", "n0", "n1");
    }
}
