/** Claims the records of a poll before their turns, and tells the store of many successes at once. */
@NullMarked
package io.dedup.kafka.internal.claimahead;

import org.jspecify.annotations.NullMarked;
