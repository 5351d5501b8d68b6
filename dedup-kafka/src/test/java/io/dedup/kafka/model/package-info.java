/**
 * A small model of the broker's consumer group, the container, the watched consumer and the store, which is explored until no new
 * state is left. The model follows the code by hand; docs/model.md names what it leaves out.
 */
@NullMarked
package io.dedup.kafka.model;

import org.jspecify.annotations.NullMarked;
