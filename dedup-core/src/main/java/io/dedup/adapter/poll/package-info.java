/**
 * For brokers whose consumers poll: claims of a poll's messages before their turns, and successes that are recorded together before
 * the consumer commits. {@link io.dedup.adapter.poll.ClaimedPoll} is the entry point. Positions are the adapter's own; nothing here
 * knows them.
 *
 * <p>Status: experimental; it may change in any minor release.
 *
 * @since 0.1.0
 */
@NullMarked
package io.dedup.adapter.poll;

import org.jspecify.annotations.NullMarked;
