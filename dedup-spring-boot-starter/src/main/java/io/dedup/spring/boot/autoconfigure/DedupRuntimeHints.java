package io.dedup.spring.boot.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/** What a native image has to keep: scripts, what expressions read, and the fields of spring-kafka that have no getter. */
final class DedupRuntimeHints implements RuntimeHintsRegistrar {
    private static final String KAFKA = "org.springframework.kafka.";
    /** In the packages of the stores and below: which package has a script is the store's business. */
    private static final List<String> SCRIPTS = List.of(
            "io/dedup/store/jdbc/*.sql",
            "io/dedup/store/jdbc/**/*.sql",
            "io/dedup/store/redis/internal/record/*.lua",
            "io/dedup/store/redis/**/*.lua");

    private static final List<String> READ_BY_FIELD = List.of(
            KAFKA + "listener.AbstractMessageListenerContainer",
            KAFKA + "listener.ConcurrentMessageListenerContainer",
            KAFKA + "listener.adapter.MessagingMessageListenerAdapter",
            KAFKA + "listener.adapter.HandlerAdapter",
            KAFKA + "listener.adapter.DelegatingInvocableHandler",
            KAFKA + "listener.adapter.FilteringMessageListenerAdapter",
            KAFKA + "retrytopic.RetryTopicConfigurer",
            KAFKA + "retrytopic.ListenerContainerFactoryConfigurer");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        for (String scripts : SCRIPTS) {
            hints.resources().registerPattern(scripts);
        }
        if (ClassUtils.isPresent(KAFKA + "listener.AbstractMessageListenerContainer", loader)) {
            READ_BY_FIELD.forEach(type ->
                    hints.reflection().registerType(TypeReference.of(type), MemberCategory.ACCESS_DECLARED_FIELDS));
            method(hints, "io.dedup.kafka.internal.spring.PostProcessors");
            method(hints, "io.dedup.spring.boot.internal.kafka.KafkaIds$Message");
        }
        if (ClassUtils.isPresent("org.apache.rocketmq.client.apis.consumer.MessageListener", loader)) {
            method(hints, "io.dedup.spring.boot.internal.rocketmq.RocketMqIds$Message");
        }
    }

    private static void method(RuntimeHints hints, String type) {
        hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
