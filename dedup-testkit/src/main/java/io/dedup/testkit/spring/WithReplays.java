package io.dedup.testkit.spring;

import io.dedup.testkit.replay.Timeline;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.context.annotation.Import;

/**
 * Put on a test class with a Spring context: adds a {@link Timeline} bean, which dedup-spring-boot-starter registers as
 * a listener of every deduplicator and which is cleared before each test; and, if spring-kafka is on the class path, a
 * {@link KafkaReplays} bean.
 *
 * <p>Test classes share contexts, and so this timeline: where JUnit runs tests in parallel, those with this annotation take
 * turns.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Import({TimelineConfiguration.class, KafkaReplaysRegistrar.class})
@ExtendWith(ClearedTimeline.class)
@ResourceLock("io.dedup.testkit.spring.WithReplays")
public @interface WithReplays {}
