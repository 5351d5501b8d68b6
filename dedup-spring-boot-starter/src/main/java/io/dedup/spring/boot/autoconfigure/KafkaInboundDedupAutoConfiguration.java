package io.dedup.spring.boot.autoconfigure;

import io.dedup.kafka.KafkaDedup;
import io.dedup.spring.boot.internal.kafka.KafkaListeners;
import io.dedup.spring.boot.internal.kafka.inbound.InboundAdapters;
import io.dedup.spring.boot.internal.kafka.inbound.InboundListeners;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.kafka.inbound.KafkaMessageDrivenChannelAdapter;

/** Deduplicates inbound adapters of Spring Integration for Kafka, where the application has that. */
@AutoConfiguration(after = KafkaDedupAutoConfiguration.class)
@ConditionalOnClass({KafkaMessageDrivenChannelAdapter.class, KafkaDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class KafkaInboundDedupAutoConfiguration {
    @Bean
    InboundListeners dedupInboundListeners(KafkaListeners listeners) {
        return new InboundListeners(listeners);
    }

    /** Static: it is asked about every bean. */
    @Bean
    static InboundAdapters dedupInboundAdapters(ObjectProvider<InboundListeners> listeners) {
        return new InboundAdapters(listeners::getObject);
    }
}
