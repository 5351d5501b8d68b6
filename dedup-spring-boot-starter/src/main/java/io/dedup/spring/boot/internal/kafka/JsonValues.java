package io.dedup.spring.boot.internal.kafka;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.id.IdExpression;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.nio.ByteBuffer;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.core.ResolvableType;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;
import org.springframework.util.ClassUtils;

/**
 * Refuses {@code json:} for records whose value is known to be an object, in which no ID would be found. What a
 * deserializer makes is known by its type argument; {@code Object} or none says nothing.
 */
final class JsonValues {
    /** Their type argument says nothing, and they never make text. */
    private static final Set<String> MAKE_OBJECTS = Set.of(
            "org.springframework.kafka.support.serializer.JsonDeserializer",
            "org.springframework.kafka.support.serializer.JacksonJsonDeserializer",
            "io.confluent.kafka.serializers.KafkaAvroDeserializer",
            "io.confluent.kafka.serializers.protobuf.KafkaProtobufDeserializer",
            "io.confluent.kafka.serializers.json.KafkaJsonSchemaDeserializer");

    private JsonValues() {}

    static void require(AbstractMessageListenerContainer<?, ?> container, String listener, TopicPlan plan) {
        if (plan.id().parts().stream().noneMatch(part -> part.kind() == IdExpression.Kind.JSON)) {
            return;
        }
        Class<?> deserializer = deserializer(container);
        if (deserializer != null && makesObjects(deserializer)) {
            throw new DedupConfigurationException(
                    plan.idProperty() + " reads JSON, but the values of listener " + listener + " are objects of "
                            + deserializer.getName() + ": no message would have an ID.",
                    "Set " + plan.idProperty()
                            + " to spel: with a property of the object, such as spel:value.id, or use a"
                            + " StringDeserializer with a JsonMessageConverter.");
        }
    }

    private static boolean makesObjects(Class<?> deserializer) {
        for (Class<?> type = deserializer; type != null; type = type.getSuperclass()) {
            if (MAKE_OBJECTS.contains(type.getName())) {
                return true;
            }
        }
        Class<?> value = ResolvableType.forClass(deserializer)
                .as(Deserializer.class)
                .getGeneric(0)
                .resolve();
        return value != null
                && value != Object.class
                && value != byte[].class
                && !CharSequence.class.isAssignableFrom(value)
                && !value.isAssignableFrom(String.class)
                && !Bytes.class.isAssignableFrom(value)
                && !ByteBuffer.class.isAssignableFrom(value);
    }

    private static @Nullable Class<?> deserializer(AbstractMessageListenerContainer<?, ?> container) {
        ConsumerFactory<?, ?> consumers = ContainerConsumers.factory(container);
        if (consumers == null) {
            return null;
        }
        Deserializer<?> own = consumers.getValueDeserializer(); // which the consumer prefers to its settings
        if (own instanceof ErrorHandlingDeserializer<?> outer) {
            Object inner = new DirectFieldAccessor(outer).getPropertyValue("delegate");
            if (inner != null) {
                return inner.getClass();
            }
        }
        Class<?> configured = own == null
                ? type(ContainerConsumers.setting(container, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG))
                : own.getClass();
        return configured == null || !ErrorHandlingDeserializer.class.isAssignableFrom(configured)
                ? configured
                : type(ContainerConsumers.setting(container, ErrorHandlingDeserializer.VALUE_DESERIALIZER_CLASS));
    }

    private static @Nullable Class<?> type(@Nullable Object configured) {
        if (configured instanceof Class<?> type) {
            return type;
        }
        if (!(configured instanceof String name)) {
            return null;
        }
        try {
            return ClassUtils.forName(name, ClassUtils.getDefaultClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return null; // the consumer reports it
        }
    }
}
