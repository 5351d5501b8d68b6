package io.dedup.spring.boot.autoconfigure;

import io.dedup.spring.boot.internal.rocketmqclients.RocketMqIds;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/** What a native image has to keep: the stores' scripts, the starter's marker, and what ID expressions read. dedup-kafka registers its own. */
final class DedupRuntimeHints implements RuntimeHintsRegistrar {
    /** In the packages of the stores and below: which package has a script is the store's business. */
    private static final List<String> SCRIPTS =
            List.of("io/dedup/store/jdbc/*.sql", "io/dedup/store/jdbc/**/*.sql", "io/dedup/store/redis/**/*.lua");

    /** Steps are refused in a transaction, which core finds by this class without depending on it. */
    private static final String TRANSACTIONS =
            "org.springframework.transaction.support.TransactionSynchronizationManager";

    private static final String MARKERS = "META-INF/dedup/*.starter";

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        for (String scripts : SCRIPTS) {
            hints.resources().registerPattern(scripts);
        }
        hints.resources().registerPattern(MARKERS);
        if (ClassUtils.isPresent("org.springframework.kafka.listener.AbstractMessageListenerContainer", loader)) {
            method(hints, "io.dedup.spring.boot.internal.kafka.KafkaIds$Message");
        }
        if (ClassUtils.isPresent(TRANSACTIONS, loader)) {
            method(hints, TRANSACTIONS);
        }
        method(hints, RocketMqIds.Message.class.getName());
    }

    private static void method(RuntimeHints hints, String type) {
        hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
