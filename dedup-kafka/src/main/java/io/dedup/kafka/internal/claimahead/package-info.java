/** Hooks a Kafka consumer: claims what it polls, gives it back, and fetches again what the container has dropped. */
@NullMarked
package io.dedup.kafka.internal.claimahead;

import org.jspecify.annotations.NullMarked;
