/** Claims the records of a poll, and records many successes with one call. */
@NullMarked
package io.dedup.kafka.clients.internal.settle;

import org.jspecify.annotations.NullMarked;
