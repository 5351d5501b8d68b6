/**
 * Replays of Kafka topics. Needs {@code kafka-clients}, and spring-kafka for {@link SpringContainers} alone.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.testkit.kafka;

import org.jspecify.annotations.NullMarked;
