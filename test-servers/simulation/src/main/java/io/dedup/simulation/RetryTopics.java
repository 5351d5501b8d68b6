package io.dedup.simulation;

import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupInstaller;
import io.dedup.simulation.Circumstances.ErrorHandling;
import io.dedup.simulation.Circumstances.RetryTopicPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.retrytopic.RetryTopicComponentFactory;
import org.springframework.kafka.retrytopic.RetryTopicConfiguration;
import org.springframework.kafka.retrytopic.RetryTopicConfigurationBuilder;
import org.springframework.kafka.retrytopic.RetryTopicConfigurationSupport;
import org.springframework.kafka.retrytopic.SameIntervalTopicReuseStrategy;
import org.springframework.util.backoff.FixedBackOff;

/** An annotated listener with retry topics, whose containers spring-kafka makes in an application context. */
final class RetryTopics {
    /** What spring-kafka appends to the topic's name. */
    static final String DEAD_LETTERS = "-dlt";

    /** In polls, all consumers' together. */
    private static final long BACK_OFF = 12;

    private RetryTopics() {}

    @EnableKafka
    @Configuration(proxyBeanMethods = false)
    static class Config extends RetryTopicConfigurationSupport {
        private final boolean blocking;

        Config(boolean blocking) {
            this.blocking = blocking;
        }

        @Override
        protected void configureBlockingRetries(BlockingRetriesConfigurer settings) {
            if (blocking) {
                settings.retryOn(IllegalStateException.class).backOff(new FixedBackOff(1, 1));
            }
        }
    }

    /** @param kafka decorates the containers; null to leave them as they are */
    static AnnotationConfigApplicationContext context(
            Circumstances circumstances,
            Object listener,
            ConcurrentKafkaListenerContainerFactory<String, String> containers,
            KafkaTemplate<String, String> template,
            BackOffs backOffs,
            @Nullable KafkaDedup kafka) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        boolean blocking = circumstances.errorHandling() == ErrorHandling.DEFAULT_WITH_BACK_OFF;
        context.registerBean(Config.class, () -> new Config(blocking));
        context.registerBean(RetryTopicComponentFactory.class, () -> backOffs);
        context.registerBean(
                "kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class, () -> containers);
        context.registerBean(RetryTopicConfiguration.class, () -> plan(circumstances, template));
        register(context, listener);
        if (kafka != null) {
            context.registerBeanDefinition(
                    "installer",
                    BeanDefinitionBuilder.genericBeanDefinition(
                                    KafkaDedupInstaller.class, () -> KafkaDedupInstaller.ofAll(() -> kafka))
                            .getBeanDefinition());
        }
        return context;
    }

    @SuppressWarnings("unchecked")
    private static void register(AnnotationConfigApplicationContext context, Object listener) {
        context.registerBean("listener", (Class<Object>) listener.getClass(), () -> listener);
    }

    private static RetryTopicConfiguration plan(Circumstances circumstances, KafkaTemplate<String, String> template) {
        return RetryTopicConfigurationBuilder.newInstance()
                .maxAttempts(1 + circumstances.retries())
                .fixedBackOff(BACK_OFF)
                .doNotAutoCreateRetryTopics()
                .dltHandlerMethod("listener", "dead")
                .sameIntervalTopicReuseStrategy(
                        circumstances.retryTopics() == RetryTopicPlan.SHARED
                                ? SameIntervalTopicReuseStrategy.SINGLE_TOPIC
                                : SameIntervalTopicReuseStrategy.MULTIPLE_TOPICS)
                .create(template);
    }

    @SuppressWarnings("unchecked")
    static List<ConcurrentMessageListenerContainer<String, String>> containers(
            AnnotationConfigApplicationContext context) {
        return context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainers().stream()
                .map(each -> (ConcurrentMessageListenerContainer<String, String>) each)
                .toList();
    }
}
