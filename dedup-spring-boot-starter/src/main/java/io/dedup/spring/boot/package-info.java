/** The Spring Boot starter: properties and annotation that deduplicate existing Kafka and RocketMQ listeners. */
@NullMarked
package io.dedup.spring.boot;

import org.jspecify.annotations.NullMarked;
