package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.call.CallWaits;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.id.ExtractorBeans;
import io.dedup.spring.boot.internal.method.DeduplicatedMethodAdvisor;
import io.dedup.spring.boot.internal.method.DeduplicatedMethods;
import io.dedup.spring.boot.internal.method.ListenerContainerCheck;
import io.dedup.spring.boot.internal.method.MethodIds;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/** Deduplicates methods of beans that something else than Kafka or RocketMQ calls. */
@AutoConfiguration(after = DedupAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@Import(DedupMethodAutoConfiguration.Proxies.class)
final class DedupMethodAutoConfiguration {
    @Bean
    DeduplicatedMethods dedupMethods(
            ConfigurableListableBeanFactory beans,
            ListenerPlanner planner,
            DeduplicatorRegistry registry,
            KnownTopics known,
            CallWaits waits,
            Environment environment) {
        return new DeduplicatedMethods(
                beans,
                planner,
                registry,
                known,
                new MethodIds(new ExtractorBeans(beans)),
                waits,
                environment::resolveRequiredPlaceholders);
    }

    @Bean
    @ConditionalOnClass(name = "org.springframework.messaging.handler.HandlerMethod")
    ListenerContainerCheck dedupListenerContainerCheck(
            ConfigurableListableBeanFactory beans, DeduplicatedMethods methods) {
        return new ListenerContainerCheck(beans, methods);
    }

    /** Static: it is asked about every bean. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeduplicatedMethodAdvisor dedupMethodAdvisor(ObjectProvider<DeduplicatedMethods> methods) {
        return new DeduplicatedMethodAdvisor(SingletonSupplier.of(methods::getObject));
    }

    /** Spring Boot registers what makes proxies, unless {@code spring.aop.auto} is false. */
    static final class Proxies implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            var unused = AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
