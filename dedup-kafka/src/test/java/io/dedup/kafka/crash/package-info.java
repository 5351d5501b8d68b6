/** Consumers that move money and are killed: counts what is left of the promises. */
@NullMarked
package io.dedup.kafka.crash;

import org.jspecify.annotations.NullMarked;
