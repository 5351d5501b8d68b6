package io.dedup.spring.boot.internal.store;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Tells the container in which order it closes beans that aren't injected into each other. Spring closes a bean after all
 * that depend on it, and otherwise in no order that can be relied on: a connection pool that is closed before the deduplicators
 * makes them drop the success of every handler that is still running. Thread-safe.
 */
public final class CloseOrder {
    /** The names of the beans of {@code DedupAutoConfiguration} and {@code RocketMqDedupAutoConfiguration}. */
    private static final String STORES = "dedupStores";

    private static final String ROCKETMQ_LISTENERS = "dedupRocketMqListeners";

    private final ConfigurableListableBeanFactory beans;

    public CloseOrder(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** A bean that the stores were given by a look-up; nothing happens when it isn't a bean. */
    void closeAfterStores(Object bean) {
        for (String name : beans.getBeanNamesForType(bean.getClass(), false, false)) {
            if (beans.isSingleton(name) && beans.getBean(name) == bean) {
                beans.registerDependentBean(name, STORES);
            }
        }
    }

    /** A bean that receives from RocketMQ, or that what receives depends on. */
    public void closeBeforeRocketMqListeners(String name) {
        beans.registerDependentBean(ROCKETMQ_LISTENERS, name);
    }
}
