package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Configures deduplication for one listener. Put it on a {@code @KafkaListener} method, on a class with {@code @KafkaListener} methods
 * or {@code @KafkaHandler}s, or on a {@code @Bean} method of a RocketMQ message listener.
 *
 * <p>Its settings override {@code dedup.topics} and {@code dedup.defaults}, and are overridden by {@code dedup.listeners.<id>}. A
 * setting that is left at its default comes from {@code dedup.topics} or {@code dedup.defaults}. Values may contain
 * {@code ${...}} placeholders. An invalid value fails the start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Deduplicated {
    /** Where the message ID is, such as {@code header:order-id}. See {@code dedup.topics.<topic>.id}. */
    String id() default "";

    /** A duration such as {@code 7d}, or {@code forever}. See {@code dedup.topics.<topic>.window}. */
    String window() default "";

    /** The {@link DedupMode}: none or one. It is an array because an annotation can't leave an enum unset. */
    DedupMode[] mode() default {};

    /**
     * The consumer group of a RocketMQ listener, which doesn't know its group itself. It has no effect for Kafka. Topics that
     * aren't configured stay as they are, unless {@link #id()} is set here.
     */
    String consumerGroup() default "";

    /** Whether the listener is deduplicated. False overrides {@code dedup.topics}. */
    boolean enabled() default true;
}
