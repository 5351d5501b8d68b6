package io.dedup.kafka.clients.internal.record;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.InvalidGroupIdException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refuses consumers whose settings would lose records. */
public final class ConsumerCheck {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    private ConsumerCheck() {}

    /**
     * Returns the consumer's group.
     *
     * @throws IllegalArgumentException if it has none
     */
    public static String groupOf(Consumer<?, ?> consumer) {
        try {
            return consumer.groupMetadata().groupId();
        } catch (InvalidGroupIdException e) {
            throw new IllegalArgumentException(
                    "The consumer has no group, so it cannot commit offsets. Set group.id, also with assigned"
                            + " partitions",
                    e);
        }
    }

    /** @throws IllegalArgumentException if the consumer commits offsets by itself */
    public static void requireNoAutoCommit(Consumer<?, ?> consumer) {
        if (isAutoCommit(consumer)) {
            throw new IllegalArgumentException(
                    "The consumer commits offsets by itself, also of records whose handlers have not run. Set"
                            + " enable.auto.commit to false");
        }
    }

    /** A consumer has no getter for this. One that cannot be read, such as a wrapper or a mock, passes. */
    private static boolean isAutoCommit(Consumer<?, ?> consumer) {
        if (!(consumer instanceof KafkaConsumer)) {
            return false;
        }
        try {
            Object delegate = read(KafkaConsumer.class, consumer, "delegate").orElse(consumer);
            Object holder = read(delegate.getClass(), delegate, "coordinator").orElse(delegate);
            return Boolean.TRUE.equals(
                    read(holder.getClass(), holder, "autoCommitEnabled").orElse(false));
        } catch (ReflectiveOperationException | RuntimeException e) {
            log.debug("Cannot find out whether the consumer commits offsets by itself", e);
            return false;
        }
    }

    private static Optional<Object> read(Class<?> type, Object owner, String name) throws ReflectiveOperationException {
        Field field = find(type, name);
        if (field == null) {
            return Optional.empty();
        }
        field.setAccessible(true);
        return Optional.ofNullable(field.get(owner));
    }

    private static @Nullable Field find(Class<?> type, String name) {
        for (Field field : type.getDeclaredFields()) {
            if (field.getName().equals(name)) {
                return field;
            }
        }
        return null;
    }
}
