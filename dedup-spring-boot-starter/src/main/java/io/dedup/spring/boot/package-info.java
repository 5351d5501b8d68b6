/**
 * The Spring Boot starter: properties and annotation that deduplicate existing Kafka and RocketMQ listeners.
 *
 * <p>Status: stable.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.spring.boot;

import org.jspecify.annotations.NullMarked;
