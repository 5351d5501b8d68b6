package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says for one listener what {@code dedup.topics} says for a topic: on a {@code @KafkaListener} method, on a class with
 * {@code @KafkaListener} methods or {@code @KafkaHandler}s, or on a {@code @Bean} method of a RocketMQ message listener.
 *
 * <p>What is left at its default here comes from {@code dedup.topics} and {@code dedup.defaults}. It wins over those, and
 * {@code dedup.listeners.<id>} wins over it. Values may hold {@code ${...}} placeholders. Wrong ones fail the start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Deduplicated {
    /** Where the message ID is, such as {@code header:order-id}; see {@code dedup.topics.<topic>.id}. */
    String id() default "";

    /** A duration such as {@code 7d}, or {@code forever}; see {@code dedup.topics.<topic>.window}. */
    String window() default "";

    /** A {@link DedupMode}; none or one. An array, because an annotation can't leave an enum out. */
    DedupMode[] mode() default {};

    /**
     * The consumer group; needed on RocketMQ listeners, where nothing else tells it, and of no use for Kafka. With it,
     * topics that aren't configured stay as they are, unless an ID is given here.
     */
    String consumerGroup() default "";

    /** Whether the listener is deduplicated; false wins over {@code dedup.topics}. */
    boolean enabled() default true;
}
