package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Configures deduplication for one listener. Put it on a {@code @KafkaListener} method, on a class with {@code @KafkaListener} methods
 * or {@code @KafkaHandler}s, on a {@code @RocketMQMessageListener} class or its {@code onMessage} or {@code consume} method, or on a
 * {@code @Bean} method of a RocketMQ message listener.
 *
 * <p>With a {@link #topic()}, it deduplicates any other method of a Spring bean: a listener of JMS, RabbitMQ or application events, a
 * scheduled task, a request handler. The method runs once for each ID. For a duplicate it returns null, or an empty {@code Optional},
 * without running. While it cannot be decided whether the method may run, the call waits; after {@code max-wait}, the caller gets a
 * {@link CallDeferredException} and has to call again.
 *
 * <p>Its settings override {@code dedup.topics} and {@code dedup.defaults}, and are overridden by {@code dedup.listeners.<id>}. A
 * setting that is left at its default comes from {@code dedup.topics} or {@code dedup.defaults}. Values may contain
 * {@code ${...}} placeholders. An invalid value fails the start.
 */
@Documented
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Deduplicated {
    /**
     * Where the message ID is, such as {@code header:order-id}. See {@code dedup.topics.<topic>.id}. For a method with a
     * {@link #topic()}, an expression over its arguments, such as {@code #order.id}.
     */
    String id() default "";

    /** A duration such as {@code 7d}, or {@code forever}. See {@code dedup.topics.<topic>.window}. */
    String window() default "";

    /** The {@link DedupMode}: none or one. It is an array because an annotation cannot leave an enum unset. */
    DedupMode[] mode() default {};

    /**
     * The consumer group of a RocketMQ listener bean, which doesn't know its group itself. It has no effect for Kafka. A
     * {@code @RocketMQMessageListener} has a group itself: another one here fails the start. Topics that aren't configured stay as they
     * are, unless {@link #id()} is set here.
     */
    String consumerGroup() default "";

    /**
     * The name within which the IDs of a method are unique, and under which {@code dedup.topics} may have settings for it. Only for
     * methods that aren't listeners of Kafka or RocketMQ, whose topics are known.
     */
    String topic() default "";

    /**
     * The consumer name: two consumers handle the same message once each. Overridden by {@code dedup.listeners.<id>.consumer}. Needed
     * with a {@link #topic()}; the consumer name of a listener of Kafka or RocketMQ is its consumer group, if this isn't set.
     */
    String consumer() default "";

    /** Whether the listener is deduplicated. False overrides {@code dedup.topics}. */
    boolean enabled() default true;
}
