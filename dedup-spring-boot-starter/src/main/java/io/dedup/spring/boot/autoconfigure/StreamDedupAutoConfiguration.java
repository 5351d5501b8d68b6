package io.dedup.spring.boot.autoconfigure;

import io.dedup.kafka.KafkaDedup;
import io.dedup.spring.boot.internal.kafka.stream.StreamBindings;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.cloud.stream.binder.kafka.KafkaMessageChannelBinder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/** Deduplicates bindings of Spring Cloud Stream's binder for Kafka, where the application has that. */
@AutoConfiguration(after = KafkaInboundDedupAutoConfiguration.class)
@ConditionalOnClass({KafkaMessageChannelBinder.class, KafkaDedup.class})
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class StreamDedupAutoConfiguration {
    /** Static: Spring Cloud Stream asks for it before other beans are made. */
    @Bean
    static StreamBindings dedupStreamBindings(ApplicationContext context) {
        return new StreamBindings(context);
    }
}
