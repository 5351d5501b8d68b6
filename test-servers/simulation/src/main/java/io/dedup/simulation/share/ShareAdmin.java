package io.dedup.simulation.share;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.jspecify.annotations.Nullable;

/** An admin client that knows how often the broker delivers a record, or may not know it. */
final class ShareAdmin {
    private ShareAdmin() {}

    static Admin of(@Nullable Integer deliveries) {
        return (Admin) Proxy.newProxyInstance(
                ShareAdmin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "describeCluster" -> cluster();
                    case "describeConfigs" -> configs((Collection<?>) arguments[0], deliveries);
                    case "close" -> null;
                    default -> throw new UnsupportedOperationException("not simulated: " + method);
                });
    }

    private static DescribeClusterResult cluster() {
        KafkaFuture<Collection<Node>> nodes = KafkaFuture.completedFuture(List.of(new Node(1, "simulated", 1)));
        return made(DescribeClusterResult.class, parameters -> {
            Object[] arguments = new Object[parameters];
            arguments[0] = nodes;
            return arguments;
        });
    }

    private static DescribeConfigsResult configs(Collection<?> asked, @Nullable Integer deliveries) {
        Map<ConfigResource, KafkaFuture<Config>> answers = new HashMap<>();
        for (Object each : asked) {
            ConfigResource resource = (ConfigResource) each;
            answers.put(
                    resource,
                    deliveries == null ? denied() : KafkaFuture.completedFuture(config(resource, deliveries)));
        }
        return made(DescribeConfigsResult.class, parameters -> new Object[] {answers});
    }

    private static KafkaFuture<Config> denied() {
        KafkaFutureImpl<Config> denied = new KafkaFutureImpl<>();
        denied.completeExceptionally(new ClusterAuthorizationException("simulated"));
        return denied;
    }

    private static Config config(ConfigResource resource, int deliveries) {
        return resource.type() == ConfigResource.Type.BROKER
                ? new Config(List.of(new ConfigEntry("group.share.delivery.count.limit", Integer.toString(deliveries))))
                : new Config(List.of());
    }

    private interface Arguments {
        Object[] of(int parameters);
    }

    /** Kafka makes it itself, and nobody else can. */
    private static <T> T made(Class<T> type, Arguments arguments) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return type.cast(constructor.newInstance(arguments.of(constructor.getParameterCount())));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
