package io.dedup.spring.boot.internal.rocketmqclients;

import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

/** Refuses handlers whose effects would be outside of the transaction that a topic's mode opens. */
public final class Handlers {
    private Handlers() {}

    /**
     * Refuses it.
     *
     * @throws DedupConfigurationException when one of the topics has a transactional mode, and the handler wouldn't take part
     */
    public static void requireInTransaction(
            String name, ServingDeduplicator serving, Object listener, Method handler, Set<String> topics) {
        if (!(DedupAdapter.of(serving.deduplicator()).records() instanceof HandlerInspector inspector)) {
            return;
        }
        HandlerMethod method =
                new HandlerMethod(handler.getDeclaringClass(), handler.getName(), List.of(handler.getParameterTypes()));
        for (String topic : topics) {
            DedupMode mode = serving.deduplicator().topic(topic).policy().mode();
            String problem = mode.isTransactional() ? inspector.outside(listener, method) : null;
            if (problem != null) {
                throw new DedupConfigurationException(
                        "RocketMQ listener " + name + " cannot be deduplicated: topic " + topic + " has mode "
                                + SettingText.of(mode) + ", but its handler " + problem,
                        "Change the handler, or switch off deduplication of this listener with dedup.listeners." + name
                                + ".enabled: false.");
            }
        }
    }
}
