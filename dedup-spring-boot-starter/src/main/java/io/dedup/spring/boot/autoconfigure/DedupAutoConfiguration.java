package io.dedup.spring.boot.autoconfigure;

import io.dedup.DedupContexts;
import io.dedup.DedupListener;
import io.dedup.RunReference;
import io.dedup.engine.Deduplicators;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.internal.call.CallWaits;
import io.dedup.spring.boot.internal.check.RiskCheck;
import io.dedup.spring.boot.internal.check.StartChecks;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorFactory;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorListenerFactory;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.plan.EntryKeys;
import io.dedup.spring.boot.internal.plan.KnownTopics;
import io.dedup.spring.boot.internal.plan.ListenerPlanner;
import io.dedup.spring.boot.internal.plan.TopicPlans;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.spring.boot.internal.text.WindowConverter;
import io.dedup.step.StepCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/** What both brokers need: settings, stores, deduplicators. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "dedup.enabled", matchIfMissing = true)
@EnableConfigurationProperties(DedupProperties.class)
@Import({DedupRedisConfiguration.class, DedupStepsConfiguration.class, NoHttpConfiguration.class})
final class DedupAutoConfiguration {
    @Bean
    static WindowConverter dedupWindowConverter() {
        return new WindowConverter();
    }

    @Bean
    TopicPlans dedupTopicPlans(DedupProperties properties, Environment environment) {
        EntryKeys.requireDistinct(environment);
        return new TopicPlans(properties);
    }

    @Bean
    ListenerPlanner dedupListenerPlanner(TopicPlans plans, Environment environment) {
        return new ListenerPlanner(plans, environment::resolveRequiredPlaceholders);
    }

    @Bean
    KnownTopics dedupKnownTopics() {
        return new KnownTopics();
    }

    @Bean
    CallWaits dedupCallWaits(ConfigurableListableBeanFactory beans) {
        return new CallWaits(beans);
    }

    /** After migrations, which may make the table. */
    @Bean
    @DependsOnDatabaseInitialization
    DedupStores dedupStores(DedupProperties properties, ConfigurableListableBeanFactory beans) {
        return new DedupStores(properties, beans);
    }

    /** For code that handlers call. */
    @Bean
    static DedupContexts dedupContexts() {
        return Deduplicators.contexts();
    }

    @Bean
    DeduplicatorRegistry dedupRegistry(
            DedupProperties properties,
            TopicPlans plans,
            DedupStores stores,
            ObjectProvider<DedupListener> listeners,
            ObjectProvider<DeduplicatorListenerFactory> listenerFactories,
            ObjectProvider<RunReference> runReference,
            ObjectProvider<StepCodec> stepCodec,
            DedupContexts contexts) {
        return new DeduplicatorRegistry(new DeduplicatorFactory(
                properties, plans, stores, listeners, listenerFactories, runReference, stepCodec, contexts));
    }

    @Bean
    StartChecks dedupStartChecks(
            DedupProperties properties,
            TopicPlans plans,
            DeduplicatorRegistry registry,
            DedupStores stores,
            KnownTopics known,
            ObjectProvider<RiskCheck> checks) {
        return new StartChecks(properties, plans, registry, stores, known, checks);
    }
}
