package io.dedup.spring.boot.internal.method;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Finds parameters with which a method acknowledges its message itself. A duplicate's method isn't called, so nobody would acknowledge
 * it: the broker keeps it, and after as many as the consumer may have unacknowledged, the consumer stands still.
 */
final class AcknowledgingParameters {
    /** What doesn't have the word in its name. */
    private static final Set<String> NAMES = Set.of(
            "com.rabbitmq.client.Channel",
            "org.apache.pulsar.client.api.Consumer",
            "org.apache.kafka.clients.consumer.Consumer",
            "org.apache.kafka.clients.consumer.ShareConsumer",
            "io.nats.client.Message",
            "com.azure.spring.messaging.checkpoint.Checkpointer",
            "com.azure.messaging.servicebus.ServiceBusReceivedMessageContext");

    /** Such as Acknowledgment, Acknowledgement, AcknowledgmentCallback and AcknowledgeablePubsubMessage. */
    private static final String WORD = "Acknowledg";

    private static final Set<String> METHODS =
            Set.of("ack", "nack", "acknowledge", "acknowledgeAsync", "onAcknowledge", "reject");

    private AcknowledgingParameters() {}

    /** The type of the first one; null if there is none. */
    static @Nullable Class<?> first(Method method) {
        return Arrays.stream(method.getParameterTypes())
                .filter(AcknowledgingParameters::acknowledges)
                .findFirst()
                .orElse(null);
    }

    private static boolean acknowledges(Class<?> parameter) {
        List<Class<?>> types = new ArrayList<>(List.of(ClassUtils.getAllInterfacesForClass(parameter)));
        for (Class<?> each = parameter; each != null; each = each.getSuperclass()) {
            types.add(each);
        }
        return types.stream().anyMatch(type -> NAMES.contains(type.getName()) || isNamedSo(type));
    }

    /** A business document may be called so, too, but doesn't acknowledge anything. */
    private static boolean isNamedSo(Class<?> type) {
        return type.getSimpleName().contains(WORD)
                && Arrays.stream(type.getMethods()).anyMatch(each -> METHODS.contains(each.getName()));
    }
}
