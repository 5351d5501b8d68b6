/** Counts what happened to the messages. */
@NullMarked
package io.dedup.failover.count;

import org.jspecify.annotations.NullMarked;
