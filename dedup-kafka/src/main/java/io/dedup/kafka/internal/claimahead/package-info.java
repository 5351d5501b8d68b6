/** Claims the records of a poll before their turns, and records many successes with one call. */
@NullMarked
package io.dedup.kafka.internal.claimahead;

import org.jspecify.annotations.NullMarked;
