/** Tests of claims of a poll and of successes that are recorded together. */
@NullMarked
package io.dedup.adapter.poll;

import org.jspecify.annotations.NullMarked;
