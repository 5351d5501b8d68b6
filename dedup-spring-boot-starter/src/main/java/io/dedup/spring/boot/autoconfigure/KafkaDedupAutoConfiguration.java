package io.dedup.spring.boot.autoconfigure;

import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.KafkaDedupInstaller;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.KafkaSettings;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.kafka.KafkaContainerCheck;
import io.dedup.spring.boot.internal.kafka.KafkaIds;
import io.dedup.spring.boot.internal.kafka.KafkaListeners;
import io.dedup.spring.boot.internal.kafka.KafkaRetentionCheck;
import io.dedup.spring.boot.internal.kafka.OtherContainers;
import io.dedup.spring.boot.internal.kafka.PoolSizeCheck;
import io.dedup.spring.boot.internal.kafka.RecordFilterCheck;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.store.DedupStores;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListenerAnnotationBeanPostProcessor;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaAdmin;

/** Deduplicates {@code @KafkaListener}s, where the application has spring-kafka. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnClass({KafkaListenerAnnotationBeanPostProcessor.class, KafkaDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class KafkaDedupAutoConfiguration {
    @Bean
    KafkaListeners dedupKafkaListeners(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            DedupProperties properties,
            ObjectProvider<KafkaListenerEndpointRegistry> registries,
            ConfigurableListableBeanFactory beans) {
        KafkaSettings settings = properties.getKafka();
        KafkaIds ids = new KafkaIds(new ExtractorBeans(beans), settings.getCoordinatesMarkedSince());
        return new KafkaListeners(planner, registry, ids, known, registries, settings);
    }

    /** Static: it is asked before other beans are made. */
    @Bean
    static KafkaDedupInstaller dedupKafkaInstaller(ObjectProvider<KafkaListeners> listeners) {
        return new KafkaDedupInstaller(
                (container, annotated) -> listeners.getObject().dedupOf(container, annotated));
    }

    @Bean
    KafkaContainerCheck dedupKafkaContainerCheck(KafkaListeners listeners, DedupProperties properties) {
        return new KafkaContainerCheck(listeners, properties.isStrict());
    }

    @Bean
    OtherContainers dedupOtherContainers(
            KafkaListeners listeners,
            ObjectProvider<KafkaListenerEndpointRegistry> registries,
            ConfigurableListableBeanFactory beans) {
        return new OtherContainers(listeners, registries, beans);
    }

    @Bean
    RecordFilterCheck dedupRecordFilterCheck(ConfigurableListableBeanFactory beans) {
        return new RecordFilterCheck(beans);
    }

    @Bean
    PoolSizeCheck dedupPoolSizeCheck(KafkaListeners listeners, DedupStores stores) {
        return new PoolSizeCheck(listeners, stores);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "dedup.checks.broker", matchIfMissing = true)
    KafkaRetentionCheck dedupKafkaRetentionCheck(ObjectProvider<KafkaAdmin> admins, DedupProperties properties) {
        return new KafkaRetentionCheck(admins, properties.getChecks().getBrokerTimeout());
    }
}
