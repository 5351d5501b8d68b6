package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.call.CallWaits;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.integration.FlowMessageIds;
import io.dedup.spring.boot.internal.integration.FlowReceivers;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.integration.handler.advice.AbstractHandleMessageAdvice;

/** Serves advices of handlers of Spring Integration, where the application has that. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnClass(AbstractHandleMessageAdvice.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
final class IntegrationDedupAutoConfiguration {
    @Bean
    FlowReceivers dedupFlowReceivers(
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            CallWaits waits,
            ConfigurableListableBeanFactory beans) {
        return new FlowReceivers(planner, registry, known, new FlowMessageIds(new ExtractorBeans(beans)), waits, beans);
    }
}
