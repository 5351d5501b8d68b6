package io.dedup.kafka.internal.poll;

import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * Identifies the container's consumer among those that are used on its thread: a listener may use others of the same
 * factory, and poll them before the container's first poll.
 */
final class ContainersConsumer {
    private final boolean hidden;
    private @Nullable HookedConsumer known;

    /** @param seeks the callback that the container passes to its listener */
    ContainersConsumer(ConsumerSeekCallback seeks, PollHooks hooks) {
        hidden = HookedConsumer.isBare(seeks);
        known = hidden ? null : HookedConsumer.of(seeks, hooks);
    }

    /** If the callback doesn't reveal it, the first consumer that polls on this thread is the container's. */
    boolean is(HookedConsumer asking, boolean polls) {
        if (known == null && polls && !hidden) {
            known = asking;
        }
        return known == asking;
    }
}
