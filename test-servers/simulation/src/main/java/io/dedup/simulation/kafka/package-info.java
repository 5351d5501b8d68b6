/** A Kafka broker and its consumers in memory, with faults at calls that a seed draws. */
@NullMarked
package io.dedup.simulation.kafka;

import org.jspecify.annotations.NullMarked;
