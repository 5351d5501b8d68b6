/** Orders from a real Kafka broker take effect once: resent, redelivered after a crash, and replayed. */
@NullMarked
package io.dedup.examples.quickstart;

import org.jspecify.annotations.NullMarked;
