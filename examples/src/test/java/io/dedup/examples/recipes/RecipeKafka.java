package io.dedup.examples.recipes;

import static org.awaitility.Awaitility.await;

import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupInstaller;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** The broker that the tests of the recipes share, with producers and listeners. Topics have one partition. */
final class RecipeKafka {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final KafkaServer BROKER = KafkaServers.start(); // ends with this JVM
    private static final KafkaTemplate<String, String> TEMPLATE = template(60_000);

    private RecipeKafka() {}

    static String servers() {
        return BROKER.address().bootstrapServers();
    }

    static void createTopic(String name) {
        BROKER.address().createTopic(name, 1);
    }

    static Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers()));
    }

    static KafkaTemplate<String, String> template() {
        return TEMPLATE;
    }

    /** One that waits for so long, at most, for a topic that doesn't exist. */
    static KafkaTemplate<String, String> template(int maxBlockMs) {
        return new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        servers(),
                        ProducerConfig.MAX_BLOCK_MS_CONFIG,
                        maxBlockMs),
                new StringSerializer(),
                new StringSerializer()));
    }

    static void send(String topic, String idHeader, String id, String value)
            throws ExecutionException, InterruptedException {
        ProducerRecord<String, String> message = new ProducerRecord<>(topic, value);
        message.headers().add(idHeader, id.getBytes(StandardCharsets.UTF_8));
        TEMPLATE.send(message).get();
    }

    /** An application with listeners, which the caller adds; to be closed. */
    static AnnotationConfigApplicationContext application(Consumer<AnnotationConfigApplicationContext> listeners) {
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        application.register(Application.class);
        listeners.accept(application);
        application.refresh();
        return application;
    }

    /** What Spring Boot would add. */
    @Configuration(proxyBeanMethods = false)
    @EnableKafka
    static class Application {
        @Bean
        ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory() {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(consumers("earliest"));
            factory.setCommonErrorHandler(errorHandler());
            return factory;
        }
    }

    /** What the starter does with listeners of the topics that are configured. */
    @Configuration(proxyBeanMethods = false)
    static class Starter {
        @Bean
        static KafkaDedupInstaller installer(ObjectProvider<KafkaDedup> dedup) {
            return KafkaDedupInstaller.ofAll(dedup::getObject);
        }
    }

    /** A listener without annotations, started; to be stopped. */
    static ConcurrentMessageListenerContainer<String, String> listen(
            KafkaDedup dedup,
            String group,
            String autoOffsetReset,
            List<String> topics,
            Consumer<ConsumerRecord<String, String>> handler) {
        ContainerProperties properties = new ContainerProperties(topics.toArray(String[]::new));
        properties.setGroupId(group);
        properties.setMessageListener((MessageListener<String, String>) handler::accept);
        var container = new ConcurrentMessageListenerContainer<>(consumers(autoOffsetReset), properties);
        container.setCommonErrorHandler(errorHandler());
        dedup.decorate(container);
        container.start();
        return container;
    }

    private static ConsumerFactory<String, String> consumers(String autoOffsetReset) {
        return new DefaultKafkaConsumerFactory<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        servers(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        autoOffsetReset),
                new StringDeserializer(),
                new StringDeserializer());
    }

    /** One more try, then the dead-letter topic. */
    private static CommonErrorHandler errorHandler() {
        return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(TEMPLATE), new FixedBackOff(0, 1));
    }

    static long end(String topic) {
        try (Admin admin = admin()) {
            TopicPartition partition = new TopicPartition(topic, 0);
            return admin.listOffsets(Map.of(partition, OffsetSpec.latest()))
                    .partitionResult(partition)
                    .get()
                    .offset();
        } catch (ExecutionException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until a group has committed the end of topics. */
    static void awaitConsumed(String group, String... topics) {
        try (Admin admin = admin()) {
            await().atMost(LIMIT).until(() -> {
                Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
                        .partitionsToOffsetAndMetadata()
                        .get();
                return List.of(topics).stream().allMatch(topic -> {
                    OffsetAndMetadata offset = committed.get(new TopicPartition(topic, 0));
                    return offset != null && offset.offset() >= end(topic);
                });
            });
        }
    }
}
