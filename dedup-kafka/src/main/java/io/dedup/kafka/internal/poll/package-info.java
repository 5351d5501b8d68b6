/** One consumer's polls, and what happens around them. All of it belongs to the consumer's thread, and so needs no lock. */
@NullMarked
package io.dedup.kafka.internal.poll;

import org.jspecify.annotations.NullMarked;
