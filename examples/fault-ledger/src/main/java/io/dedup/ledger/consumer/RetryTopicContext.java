package io.dedup.ledger.consumer;

import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupInstaller;
import io.dedup.ledger.plan.Combination;
import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.kafka.annotation.EnableKafkaRetryTopic;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** An application with one annotated listener, which needs Spring's context for its retry topics. */
final class RetryTopicContext {
    static final String TEMPLATE = "template";

    private RetryTopicContext() {}

    @EnableKafkaRetryTopic
    static class Config {}

    /** Not started yet. */
    @SuppressWarnings("unchecked")
    static AnnotationConfigApplicationContext of(
            String topic,
            Combination combination,
            Object handler,
            ConsumerFactory<String, String> consumers,
            KafkaTemplate<String, String> template,
            KafkaDedup kafka) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("ledger", Map.of("topic", topic, "threads", combination.threads())));
        context.register(Config.class);
        context.registerBeanDefinition(
                "installer",
                BeanDefinitionBuilder.genericBeanDefinition(
                                KafkaDedupInstaller.class, () -> KafkaDedupInstaller.ofAll(() -> kafka))
                        .getBeanDefinition());
        context.registerBean("kafkaListenerContainerFactory", ConcurrentKafkaListenerContainerFactory.class, () -> {
            var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
            factory.setConsumerFactory(consumers);
            return factory;
        });
        context.registerBean("listener", (Class<Object>) handler.getClass(), () -> handler);
        context.registerBean("scheduler", ThreadPoolTaskScheduler.class, ThreadPoolTaskScheduler::new);
        context.registerBean(TEMPLATE, KafkaTemplate.class, () -> template);
        return context;
    }

    static KafkaListenerEndpointRegistry registry(AnnotationConfigApplicationContext context) {
        return context.getBean(KafkaListenerEndpointRegistry.class);
    }
}
