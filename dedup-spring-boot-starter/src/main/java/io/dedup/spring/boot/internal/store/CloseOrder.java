package io.dedup.spring.boot.internal.store;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Has Spring close the beans that the stores have looked up after the stores. Spring closes a bean after all that depend on it,
 * and otherwise in no order that can be relied on: a connection pool that is closed before the deduplicators makes them drop the
 * success of every handler that is still running. Thread-safe.
 */
final class CloseOrder {
    /** The name that {@code DedupAutoConfiguration} gives the bean of {@link DedupStores}. */
    private static final String STORES = "dedupStores";

    private final ConfigurableListableBeanFactory beans;

    CloseOrder(ConfigurableListableBeanFactory beans) {
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
}
