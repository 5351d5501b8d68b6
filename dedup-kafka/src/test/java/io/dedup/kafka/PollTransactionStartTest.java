package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.TransactionSpan;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** Transactions that span a poll are refused where something happens at each record's own turn. */
class PollTransactionStartTest {
    private final Ledger ledger = Ledger.postgres();
    private final Scene scene =
            ledger.scene(DedupMode.TRANSACTIONAL, 1, policy -> policy.transaction(TransactionSpan.POLL));
    private final MessageListener<String, String> listener = record -> {};

    @AfterEach
    void close() {
        scene.close();
        ledger.close();
    }

    private void refused(ConcurrentMessageListenerContainer<String, String> container, String reason) {
        scene.kafka.decorate(container);
        assertThatThrownBy(container::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("transaction is POLL")
                .hasMessageContaining(reason)
                .hasMessageContaining(", or set transaction to RECORD");
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            Consumer<ConcurrentMessageListenerContainer<String, String>> change) {
        var container = scene.container(AckMode.BATCH, listener);
        change.accept(container);
        return container;
    }

    @ParameterizedTest
    @EnumSource(
            value = AckMode.class,
            names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("manual ack modes are refused")
    void manual(AckMode ackMode) {
        AcknowledgingMessageListener<String, String> manual = (record, ack) -> {};
        refused(scene.container(ackMode, manual), "the ack mode is " + ackMode);
    }

    @Test
    @DisplayName("what the container does at a record's own turn is refused: interceptors, observations, headers")
    void atTheTurn() {
        refused(container(each -> each.setRecordInterceptor((record, consumer) -> record)), "has a RecordInterceptor");
        refused(
                container(each -> each.getContainerProperties().setObservationEnabled(true)),
                "observationEnabled is true");
        refused(
                container(each -> each.getContainerProperties().setDeliveryAttemptHeader(true)),
                "deliveryAttemptHeader is true");
        refused(container(each -> each.setListenerInfo(new byte[1])), "listenerInfo is set");
        var late = scene.container(AckMode.BATCH, listener);
        scene.kafka.decorate(late);
        late.setRecordInterceptor((record, consumer) -> record);
        assertThatThrownBy(late::start).isInstanceOf(IllegalStateException.class);
    }

    static class Seeking extends AbstractConsumerSeekAware implements MessageListener<String, String> {
        @Override
        public void onMessage(ConsumerRecord<String, String> record) {}
    }

    static class Methods {
        public void withConsumer(String value, org.apache.kafka.clients.consumer.Consumer<?, ?> consumer) {}

        @SendTo("replies")
        public String replies(String value) {
            return value;
        }

        public void plain(String value) {}
    }

    static class SeekingMethods extends AbstractConsumerSeekAware {
        public void on(String value) {}
    }

    @Test
    @DisplayName("handlers that could seek, commit, or reply at another record's turn are refused")
    void handlers() {
        ConsumerAwareMessageListener<String, String> aware = (record, consumer) -> {};
        refused(scene.container(AckMode.BATCH, aware), "is given the Consumer");
        refused(scene.container(AckMode.BATCH, new Seeking()), "is a ConsumerSeekAware");
        refused(method(new Methods(), "withConsumer"), "Methods.withConsumer is given the Consumer");
        refused(method(new Methods(), "replies"), "Methods.replies replies (@SendTo)");
        refused(method(new SeekingMethods(), "on"), "SeekingMethods.on is a ConsumerSeekAware");
        var plain = method(new Methods(), "plain");
        scene.start(plain);
        assertThat(plain.isRunning()).isTrue();
    }

    private ConcurrentMessageListenerContainer<String, String> method(Object bean, String name) {
        Method method = Arrays.stream(bean.getClass().getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        var methods = new DefaultMessageHandlerMethodFactory();
        methods.afterPropertiesSet();
        var endpoint = new MethodKafkaListenerEndpoint<String, String>();
        endpoint.setId(name);
        endpoint.setTopics(scene.topic);
        endpoint.setBean(bean);
        endpoint.setMethod(method);
        endpoint.setMessageHandlerMethodFactory(methods);
        endpoint.setReplyTemplate(scene.template());
        var container = scene.container(AckMode.BATCH, listener);
        endpoint.setupListenerContainer(container, null);
        return container;
    }

    @Test
    @DisplayName("batch listeners have one transaction for each batch anyway")
    void batch() {
        BatchMessageListener<String, String> batch = records -> {};
        var container = scene.container(AckMode.BATCH, batch);
        container.getContainerProperties().setObservationEnabled(true);

        assertThat(scene.start(container).isRunning()).isTrue();
    }

    @Test
    @DisplayName("other modes, and times that contradict each other, are refused when the policy is built")
    void policies() {
        for (DedupMode mode : DedupMode.values()) {
            if (mode != DedupMode.TRANSACTIONAL) {
                assertThatThrownBy(() -> DedupPolicy.builder()
                                .mode(mode)
                                .transaction(TransactionSpan.POLL)
                                .build())
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("transaction POLL is not available in mode " + mode
                                + ". Set mode to TRANSACTIONAL, or transaction to RECORD");
            }
        }
        assertThatThrownBy(() -> DedupPolicy.builder()
                        .mode(DedupMode.TRANSACTIONAL)
                        .transaction(TransactionSpan.POLL)
                        .lease(Duration.ofMillis(500))
                        .maxProcessingTime(Duration.ofSeconds(1))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transactionMaxTime (PT1S) must be shorter than maxProcessingTime (PT1S)");
        assertThatThrownBy(() -> DedupPolicy.builder().transactionMaxRecords(1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("transactionMaxRecords must be from 2 to 10000");
    }
}
