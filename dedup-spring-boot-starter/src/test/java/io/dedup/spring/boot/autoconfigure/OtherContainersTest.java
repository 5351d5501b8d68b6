package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.KafkaDedup;
import io.dedup.spring.boot.Logs;
import io.dedup.testservers.kafka.KafkaServers;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.KafkaListenerConfigurer;
import org.springframework.kafka.config.AbstractKafkaListenerEndpoint;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistrar;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.kafka.requestreply.ReplyingKafkaTemplate;
import org.springframework.kafka.support.converter.MessageConverter;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;

/** Every way in which a listener container can come to be in an application, other than from an annotation. */
class OtherContainersTest {
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    private final String topic = "others-" + UUID.randomUUID();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
            .withPropertyValues(
                    "topic=" + topic,
                    "dedup.store=memory",
                    "dedup.checks.broker=false",
                    "dedup.topics.payments.topic=" + topic,
                    "dedup.topics.payments.id=key",
                    "spring.kafka.consumer.auto-offset-reset=earliest");

    private ApplicationContextRunner onBroker() {
        KafkaServers.shared().createTopic(topic, 1);
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", (Object) KafkaServers.shared().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (String key : List.of("a", "a", "b", "a", "last")) {
                Future<?> unused = producer.send(new ProducerRecord<>(topic, key, "v"));
            }
        }
        HANDLED.clear();
        return runner.withPropertyValues(
                "spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers());
    }

    private static MessageListener<String, String> handler(String of) {
        return record -> HANDLED.add(of + " " + record.key());
    }

    private static <C extends AbstractMessageListenerContainer<String, String>> C listening(C container, String of) {
        container.getContainerProperties().setGroupId(of);
        container.getContainerProperties().setMessageListener(handler(of));
        return container;
    }

    @Configuration(proxyBeanMethods = false)
    static class Containers implements KafkaListenerConfigurer {
        @Bean
        ConcurrentMessageListenerContainer<String, String> concurrent(
                ConcurrentKafkaListenerContainerFactory<String, String> factory, @Value("${topic}") String topic) {
            return listening(factory.createContainer(topic), "concurrent");
        }

        @Bean
        ConcurrentMessageListenerContainer<String, String> off(
                ConcurrentKafkaListenerContainerFactory<String, String> factory, @Value("${topic}") String topic) {
            return listening(factory.createContainer(topic), "off");
        }

        @Bean
        KafkaMessageListenerContainer<String, String> single(
                ConsumerFactory<String, String> consumers, @Value("${topic}") String topic) {
            return listening(new KafkaMessageListenerContainer<>(consumers, new ContainerProperties(topic)), "single");
        }

        @Value("${topic}")
        private String topic = "";

        @Override
        public void configureKafkaListeners(KafkaListenerEndpointRegistrar registrar) {
            var simple = new AbstractKafkaListenerEndpoint<String, String>() {
                @Override
                protected MessagingMessageListenerAdapter<String, String> createMessageListener(
                        MessageListenerContainer container, MessageConverter converter) {
                    throw new IllegalStateException("sets its listener itself");
                }

                @Override
                public void setupListenerContainer(MessageListenerContainer container, MessageConverter converter) {
                    container.setupMessageListener(handler("simple"));
                }
            };
            simple.setId("simple");
            simple.setTopics(topic);
            simple.setGroupId("simple");
            registrar.registerEndpoint(simple);
            var method = new MethodKafkaListenerEndpoint<String, String>();
            method.setId("method");
            method.setTopics(topic);
            method.setGroupId("method");
            method.setBean(this);
            try {
                method.setMethod(Containers.class.getDeclaredMethod("handle", String.class));
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e);
            }
            var methods = new DefaultMessageHandlerMethodFactory();
            methods.afterPropertiesSet();
            method.setMessageHandlerMethodFactory(methods);
            registrar.registerEndpoint(method);
        }

        public void handle(@Header("kafka_receivedMessageKey") String key) {
            HANDLED.add("method " + key);
        }

        @KafkaListener(id = "annotated", topics = "${topic}")
        void audit(@Header("kafka_receivedMessageKey") String key) {
            HANDLED.add("annotated " + key);
        }
    }

    @Test
    @DisplayName("container beans and endpoints of a KafkaListenerConfigurer are deduplicated like annotated listeners")
    void deduplicated() {
        try (Logs logs = new Logs()) {
            onBroker()
                    .withUserConfiguration(Containers.class)
                    .withPropertyValues("dedup.listeners.off.enabled=false")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        List<String> kinds = List.of("annotated", "concurrent", "method", "simple", "single");
                        await().until(() -> kinds.stream().allMatch(kind -> HANDLED.contains(kind + " last")));
                        for (String kind : kinds) {
                            assertThat(HANDLED)
                                    .filteredOn(each -> each.startsWith(kind + " "))
                                    .containsExactly(kind + " a", kind + " b", kind + " last");
                        }
                        await().until(() -> HANDLED.contains("off last"));
                        assertThat(HANDLED)
                                .filteredOn(each -> each.startsWith("off "))
                                .hasSize(5);
                    });
            assertThat(logs.messages()).noneMatch(line -> line.contains("no listener subscribes"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Replies {
        @Bean
        ReplyingKafkaTemplate<String, String, String> replying(
                ProducerFactory<String, String> producers,
                ConcurrentKafkaListenerContainerFactory<String, String> factory,
                @Value("${topic}") String topic) {
            var template = new ReplyingKafkaTemplate<>(producers, replyContainer(factory, topic));
            template.setAutoStartup(false);
            return template;
        }

        private static ConcurrentMessageListenerContainer<String, String> replyContainer(
                ConcurrentKafkaListenerContainerFactory<String, String> factory, String topic) {
            var container = factory.createContainer(topic);
            container.getContainerProperties().setGroupId("replies");
            return container;
        }

        @Bean
        ReplyingKafkaTemplate<String, String, String> other(
                ProducerFactory<String, String> producers, ConcurrentMessageListenerContainer<String, String> replies) {
            return new ReplyingKafkaTemplate<>(producers, replies);
        }

        @Bean
        ConcurrentMessageListenerContainer<String, String> replies(
                ConcurrentKafkaListenerContainerFactory<String, String> factory, @Value("${topic}") String topic) {
            var container = replyContainer(factory, topic);
            container.setAutoStartup(false);
            return container;
        }
    }

    @Test
    @DisplayName("the container of a ReplyingKafkaTemplate receives replies, and isn't decorated")
    void replies() {
        runner.withUserConfiguration(Replies.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(KafkaDedup.isDecorated(context.getBean("replies", MessageListenerContainer.class)))
                    .isFalse();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Started {
        @Bean
        ConcurrentMessageListenerContainer<String, String> early(
                ConcurrentKafkaListenerContainerFactory<String, String> factory, @Value("${topic}") String topic) {
            var container = listening(factory.createContainer(topic), "early");
            container.setBeanName("early");
            container.start();
            return container;
        }
    }

    @Test
    @DisplayName("a container that was started in its bean method is refused")
    void startedTooEarly() {
        onBroker().withUserConfiguration(Started.class).run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("Listener early").contains("started without deduplication");
            assertThat(analysis.getAction()).contains("dedup.listeners.early.enabled: false");
        });
    }

    @SuppressWarnings("unchecked")
    private ConcurrentMessageListenerContainer<String, String> late(ConcurrentKafkaListenerContainerFactory<?, ?> of) {
        return listening(((ConcurrentKafkaListenerContainerFactory<String, String>) of).createContainer(topic), "late");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "a container that is made while the application runs, or in a child context, polls nothing and is stopped")
    void madeLater(boolean inChild) {
        try (Logs logs = new Logs()) {
            onBroker().run(context -> {
                var late = late(context.getBean(ConcurrentKafkaListenerContainerFactory.class));
                late.setBeanName("late");
                try (var child = new AnnotationConfigApplicationContext()) {
                    child.setParent(context);
                    if (inChild) {
                        child.registerBean("late", ConcurrentMessageListenerContainer.class, () -> late);
                    }
                    child.refresh();
                    late.start();
                    await().until(() -> !late.isRunning());
                    assertThat(HANDLED).isEmpty();
                    assertThat(logs.warnings())
                            .anyMatch(line -> line.contains("Listener late")
                                    && line.contains("dedup.listeners.late.enabled: false"));
                }
            });
        }
    }
}
