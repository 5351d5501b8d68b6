/** Record listeners of spring-kafka on a broker. */
@NullMarked
package io.dedup.benchmarks.kafka;

import org.jspecify.annotations.NullMarked;
