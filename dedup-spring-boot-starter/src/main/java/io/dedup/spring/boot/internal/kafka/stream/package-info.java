/** Deduplicates the bindings of Spring Cloud Stream's binder for Kafka. */
@NullMarked
package io.dedup.spring.boot.internal.kafka.stream;

import org.jspecify.annotations.NullMarked;
