package io.dedup.kafka.internal.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** Native image hints: the fields of spring-kafka that have no getter, and the methods that an expression calls. */
final class KafkaRuntimeHints implements RuntimeHintsRegistrar {
    private static final String KAFKA = "org.springframework.kafka.";
    private static final List<String> READ_BY_FIELD = List.of(
            KAFKA + "listener.AbstractMessageListenerContainer",
            KAFKA + "listener.ConcurrentMessageListenerContainer",
            KAFKA + "listener.CommonDelegatingErrorHandler",
            KAFKA + "listener.CommonMixedErrorHandler",
            KAFKA + "listener.FailedRecordProcessor",
            KAFKA + "listener.FailedRecordTracker",
            KAFKA + "listener.adapter.MessagingMessageListenerAdapter",
            KAFKA + "listener.adapter.HandlerAdapter",
            KAFKA + "listener.adapter.DelegatingInvocableHandler",
            KAFKA + "listener.adapter.FilteringMessageListenerAdapter",
            KAFKA + "retrytopic.RetryTopicConfigurer",
            KAFKA + "retrytopic.ListenerContainerFactoryConfigurer");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        for (String type : READ_BY_FIELD) {
            hints.reflection().registerType(TypeReference.of(type), fields());
        }
        hints.reflection().registerType(PostProcessors.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }

    /** The constant's name in Spring 7, or otherwise the one in Spring 6, which is going to be removed. */
    private static MemberCategory fields() {
        for (MemberCategory category : MemberCategory.values()) {
            if (category.name().equals("ACCESS_DECLARED_FIELDS")) {
                return category;
            }
        }
        return MemberCategory.valueOf("DECLARED_FIELDS");
    }
}
