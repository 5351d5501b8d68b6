/** What belongs to one consumer and its thread, from its start to its stop. */
@NullMarked
package io.dedup.kafka.internal.consumer;

import org.jspecify.annotations.NullMarked;
