package io.dedup.spring.boot.internal.rocketmqclients;

import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupMode;
import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.check.HandlerAdvices;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import io.dedup.spring.boot.internal.text.SettingText;
import io.dedup.spring.boot.internal.text.YamlPath;
import io.dedup.store.transaction.HandlerInspector;
import io.dedup.store.transaction.HandlerMethod;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Refuses handlers whose effects would be outside of the transaction that a topic's mode opens, or in it although they have failed. */
public final class Handlers {
    private Handlers() {}

    /**
     * Refuses it.
     *
     * @throws DedupConfigurationException when one of the topics has a transactional mode, and the handler wouldn't take part,
     *     or would be called again in it
     */
    public static void requireInTransaction(
            String name, ServingDeduplicator serving, Object listener, Method handler, Set<String> topics) {
        for (String topic : topics) {
            DedupMode mode = serving.deduplicator().topic(topic).policy().mode();
            String problem = mode.isTransactional() ? problem(serving, listener, handler) : null;
            if (problem != null) {
                throw new DedupConfigurationException(
                        "RocketMQ listener " + name + " cannot be deduplicated: topic " + topic + " has mode "
                                + SettingText.of(mode) + ", but its handler " + problem,
                        "Change the handler, or switch off deduplication of this listener with "
                                + YamlPath.listener(name) + ".enabled: false.");
            }
        }
    }

    private static @Nullable String problem(ServingDeduplicator serving, Object listener, Method handler) {
        String repeated = HandlerAdvices.problemInTransaction(listener, handler);
        if (repeated != null) {
            return repeated + ".";
        }
        return DedupAdapter.of(serving.deduplicator()).records() instanceof HandlerInspector inspector
                ? inspector.outside(
                        listener,
                        new HandlerMethod(
                                handler.getDeclaringClass(), handler.getName(), List.of(handler.getParameterTypes())))
                : null;
    }
}
