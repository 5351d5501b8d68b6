package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisAddress;
import io.dedup.testservers.redis.RedisServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.listener.ContainerProperties.ShareAckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** How share groups are set up, and what is refused; and what goes on while the store is down. */
class ShareStartTest {
    private static final MessageListener<String, String> NOTHING = record -> {};

    private static void assertRefused(ShareKafkaMessageListenerContainer<?, ?> container, String why) {
        assertThatThrownBy(container::start).hasMessageContaining(why);
        assertThat(container.isRunning()).isFalse();
    }

    @Test
    @DisplayName("K14 what would lose messages is refused at each start, not only at the first one")
    void refusedAtTheNextStart() {
        try (ShareScene group = new ShareScene(new Scene())) {
            var container = group.start(group.container(ShareAckMode.EXPLICIT, NOTHING));
            container.stop();
            container.getContainerProperties().setShareAckMode(ShareAckMode.MANUAL);
            assertRefused(container, "cannot acknowledge");
            container.getContainerProperties().setShareAckMode(ShareAckMode.IMPLICIT);
            assertRefused(container, "Set shareAckMode to EXPLICIT");
        }
    }

    @Test
    @DisplayName("K14 what would lose or double messages is refused at start")
    void refused() {
        try (Ledger ledger = Ledger.postgres();
                ShareScene group = new ShareScene(new Scene());
                ShareScene transactional = new ShareScene(ledger.scene(DedupMode.TRANSACTIONAL))) {
            assertRefused(group.container(ShareAckMode.IMPLICIT, NOTHING), "Set shareAckMode to EXPLICIT");
            assertRefused(group.container(ShareAckMode.MANUAL, NOTHING), "cannot acknowledge");
            ProxyFactory proxy = new ProxyFactory(new StartCheckTest.Detached());
            proxy.addAdvisor(new AsyncAnnotationAdvisor());
            assertRefused(group.container(ShareAckMode.EXPLICIT, proxy.getProxy()), "is @Async");
            var other = group.properties(ShareAckMode.EXPLICIT, NOTHING);
            other.setGroupId("other-" + group.scene.group);
            group.start(group.container(ShareAckMode.EXPLICIT, NOTHING));
            assertRefused(
                    group.scene.kafka.shareGroups().container(group.consumers(), other),
                    "each would skip as duplicates the messages that only the other has handled");
            KafkaDedup elsewhere = KafkaDedup.builder(group.scene.dedup)
                    .id("elsewhere", KafkaMessageIds.key())
                    .build();
            group.scene.closeLater(elsewhere);
            assertThatThrownBy(elsewhere
                            .shareGroups()
                            .container(group.consumers(), group.properties(ShareAckMode.EXPLICIT, NOTHING))::start)
                    .hasMessageContaining("has no message ID extractor");
            assertRefused(transactional.container(ShareAckMode.EXPLICIT, new Outside()), "REQUIRES_NEW");
            assertRefused(
                    transactional.container(ShareAckMode.EXPLICIT, HiddenFailureTest.retried(NOTHING)),
                    "is called again after a failure");
        }
    }

    static final class Outside implements MessageListener<String, String> {
        @Override
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void onMessage(ConsumerRecord<String, String> record) {}
    }

    @Test
    @DisplayName("K14 store down at claim: deferred in place until it answers, in one delivery")
    void storeDown() {
        RedisAddress redis = RedisServers.shared();
        TcpProxy proxy = TcpProxy.to(redis.host(), redis.port());
        Scene scene = new Scene(
                RedisDedupStore.builder()
                        .uri("redis://127.0.0.1:" + proxy.port())
                        .commandTimeout(Duration.ofSeconds(5))
                        .build(),
                1,
                UnaryOperator.identity());
        scene.closeLater(proxy::heal);
        List<Integer> deliveries = new CopyOnWriteArrayList<>();
        try (ShareScene group = new ShareScene(scene)) {
            scene.send("a");
            group.start(group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                deliveries.add((int) record.deliveryCount().orElseThrow());
                scene.effects.add(Scene.id(record));
            }));
            group.awaitSettled();
            proxy.refuse();
            proxy.cut();
            scene.send("b", "c");
            await().pollDelay(ShareScene.LOCK.multipliedBy(2)).until(() -> scene.deferrals.size() > 4);
            assertThat(scene.effects).containsExactly("a");
            proxy.heal();
            group.awaitSettled();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c");
            assertThat(deliveries).containsOnly(1);
        }
    }

    @Test
    @DisplayName("a message without an ID goes to the recoverer, and isn't handled")
    void missingId() {
        try (ShareScene group = new ShareScene(new Scene())) {
            List<String> recovered = new CopyOnWriteArrayList<>();
            group.scene.send(group.scene.record(0, null, "none"));
            group.scene.send("a");
            var container = group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>)
                    record -> group.scene.effects.add(Scene.id(record)));
            container.setShareConsumerRecordRecoverer((record, failure) -> {
                recovered.add(failure.getClass().getSimpleName());
                return AcknowledgeType.REJECT;
            });
            group.start(container);
            group.awaitSettled();
            assertThat(recovered).containsExactly("MissingMessageIdException");
            assertThat(group.scene.effects).containsExactly("a");
        }
    }

    @Test
    @DisplayName("a handler's error stops its consumer; nothing is lost")
    void error() {
        try (ShareScene group = new ShareScene(new Scene())) {
            group.scene.send("a");
            group.start(group.container(ShareAckMode.EXPLICIT, (MessageListener<String, String>) record -> {
                group.scene.effects.add("error");
                throw new AssertionError("an error");
            }));
            group.scene.awaitEffects("error");
            group.start(group.elsewhere(ShareAckMode.EXPLICIT, (MessageListener<String, String>)
                    record -> group.scene.effects.add(Scene.id(record))));
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactly("error", "a");
        }
    }

    @Test
    @DisplayName("@KafkaListener methods, by the factory: conversion, failures and futures as they are")
    void annotated() {
        try (ShareScene group = new ShareScene(new Scene());
                var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(
                    "group", ShareScene.class, () -> group, definition -> definition.setDestroyMethodName(""));
            context.registerBean("topic", String.class, () -> group.scene.topic);
            context.register(Annotated.class);
            context.refresh();
            group.scene.send("a", "bad", "future", "a", "b");
            group.awaitSettled();
            assertThat(group.scene.effects).containsExactlyInAnyOrder("a", "future", "b");
            assertThat(group.scene.events)
                    .contains("released bad", "duplicate a")
                    .filteredOn(event -> event.startsWith("context"))
                    .containsExactlyInAnyOrder(
                            "context of a 1", "context of bad 1", "context of future 1", "context of b 1");
        }
    }

    @Configuration
    @EnableKafka
    static class Annotated {
        private final ShareScene group;

        Annotated(ShareScene group) {
            this.group = group;
        }

        @Bean
        ShareKafkaListenerContainerFactory<String, String> manual() {
            return group.scene.kafka.shareGroups().containerFactory(group.consumers());
        }

        @KafkaListener(topics = "#{@topic}", containerFactory = "manual")
        CompletionStage<?> handle(String value, @Header("id") byte[] id, DedupContext context) {
            String text = new String(id, StandardCharsets.UTF_8);
            group.scene.events.add("context of " + context.key().messageId() + " " + context.attempt());
            if (text.equals("bad")) {
                throw new IllegalStateException("bad");
            }
            if (text.equals("future")) {
                return CompletableFuture.runAsync(() -> group.scene.effects.add(text));
            }
            group.scene.effects.add(text);
            return CompletableFuture.completedStage(null);
        }
    }
}
