package io.dedup.testkit.spring;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/** Registers {@link KafkaReplays} if spring-kafka is on the class path; otherwise the class isn't loaded. */
final class KafkaReplaysRegistrar implements ImportBeanDefinitionRegistrar {
    private static final String SPRING_KAFKA = "org.springframework.kafka.config.KafkaListenerEndpointRegistry";

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        if (ClassUtils.isPresent(SPRING_KAFKA, KafkaReplaysRegistrar.class.getClassLoader())) {
            registry.registerBeanDefinition("kafkaReplays", new RootBeanDefinition(KafkaReplays.class));
        }
    }
}
