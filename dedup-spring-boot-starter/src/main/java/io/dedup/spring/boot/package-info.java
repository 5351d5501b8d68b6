/** Spring Boot: existing {@code @KafkaListener}s and RocketMQ listeners take effect once, by configuration. */
@NullMarked
package io.dedup.spring.boot;

import org.jspecify.annotations.NullMarked;
