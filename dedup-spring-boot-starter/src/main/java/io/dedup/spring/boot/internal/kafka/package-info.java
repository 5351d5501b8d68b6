/** Deduplicates {@code @KafkaListener}s. */
@NullMarked
package io.dedup.spring.boot.internal.kafka;

import org.jspecify.annotations.NullMarked;
