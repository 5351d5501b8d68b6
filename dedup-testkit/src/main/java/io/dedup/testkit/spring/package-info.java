/**
 * Replays and timelines in Spring's test context. Requires spring-test; {@link KafkaReplays} also requires spring-kafka.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.spring;

import org.jspecify.annotations.NullMarked;
