/** Replays of Kafka topics. Needs {@code kafka-clients}, and spring-kafka for {@link SpringContainers} alone. */
@NullMarked
package io.dedup.testkit.kafka;

import org.jspecify.annotations.NullMarked;
