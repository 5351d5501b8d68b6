/** Deduplicates the listeners of the Spring Boot starter of RocketMQ's newer client. */
@NullMarked
package io.dedup.spring.boot.internal.rocketmqv5spring;

import org.jspecify.annotations.NullMarked;
