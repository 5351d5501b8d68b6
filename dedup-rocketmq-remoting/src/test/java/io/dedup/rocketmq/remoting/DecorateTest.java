package io.dedup.rocketmq.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.rocketmq.remoting.internal.DedupConcurrentListener;
import io.dedup.rocketmq.remoting.internal.DedupOrderlyListener;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.List;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyContext;
import org.apache.rocketmq.client.consumer.listener.ConsumeConcurrentlyStatus;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is refused, and what a consumer is left with. */
class DecorateTest {
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final Deduplicator deduplicator =
            Deduplicators.builder(store).consumer("test").build();
    private final RemotingDedup dedup =
            RemotingDedup.builder(deduplicator).id(RemotingMessageIds.key()).build();
    private final DefaultMQPushConsumer consumer = new DefaultMQPushConsumer("group");
    private final MessageListenerConcurrently listener =
            (List<MessageExt> messages, ConsumeConcurrentlyContext context) ->
                    ConsumeConcurrentlyStatus.CONSUME_SUCCESS;
    private final MessageListenerOrderly orderly = (messages, context) -> null;

    @AfterEach
    void close() {
        deduplicator.close();
        store.close();
    }

    @Test
    @DisplayName("broadcasting is refused")
    void broadcasting() {
        consumer.setMessageModel(MessageModel.BROADCASTING);
        consumer.registerMessageListener(listener);
        assertThatThrownBy(() -> dedup.decorate(consumer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Set it to CLUSTERING");
    }

    @Test
    @DisplayName("orderly batches with a limit of attempts are refused: the client dead-letters them as a whole")
    void orderlyBatchesWithLimit() {
        consumer.registerMessageListener(orderly);
        consumer.setConsumeMessageBatchMaxSize(8);
        consumer.setMaxReconsumeTimes(3);
        assertThatThrownBy(() -> dedup.decorate(consumer))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group group")
                .hasMessageContaining("consumeMessageBatchMaxSize is 8")
                .hasMessageContaining("maxReconsumeTimes is 3");

        consumer.setMaxReconsumeTimes(-1); // without a limit nothing is dead-lettered
        assertThatCode(() -> dedup.decorate(consumer)).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("concurrent batches may have a limit of attempts: the client dead-letters only what failed")
    void concurrentBatchesWithLimit() {
        consumer.registerMessageListener(listener);
        consumer.setConsumeMessageBatchMaxSize(8);
        consumer.setMaxReconsumeTimes(3);
        assertThatCode(() -> dedup.decorate(consumer)).doesNotThrowAnyException();
    }

    @Test
    @DisplayName("a started consumer is refused, since it would keep its plain listener")
    void started() {
        try (Scene scene = new Scene(1)) {
            DefaultMQPushConsumer started = scene.start(each -> each.registerMessageListener(listener));
            assertThatThrownBy(() -> dedup.decorate(started))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has been started");
        }
    }

    @Test
    @DisplayName("a consumer without a listener is refused, and one that is decorated already")
    void listeners() {
        assertThatThrownBy(() -> dedup.decorate(consumer)).hasMessageContaining("has no messageListener");
        consumer.setMessageListener(listener); // as rocketmq-spring does
        dedup.decorate(consumer);
        assertThat(consumer.getMessageListener()).isInstanceOf(DedupConcurrentListener.class);
        assertThatThrownBy(() -> dedup.decorate(consumer)).hasMessageContaining("decorated already");
        consumer.setMessageListener(orderly);
        dedup.decorate(consumer);
        assertThat(consumer.getMessageListener()).isInstanceOf(DedupOrderlyListener.class);
        assertThatThrownBy(() -> dedup.decorate(" ", listener)).hasMessageContaining("consumerGroup");
    }
}
