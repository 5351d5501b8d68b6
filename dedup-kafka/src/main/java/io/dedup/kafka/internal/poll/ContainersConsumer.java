package io.dedup.kafka.internal.poll;

import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * Which of the consumers that are used on a container's thread is the container's: a listener may have others of the same factory,
 * and poll them before the container's first poll.
 */
final class ContainersConsumer {
    private final boolean hidden;
    private @Nullable HookedConsumer known;

    /** @param seeks the container's callback, which its listener is given */
    ContainersConsumer(ConsumerSeekCallback seeks, PollHooks hooks) {
        hidden = HookedConsumer.isBare(seeks);
        known = hidden ? null : HookedConsumer.of(seeks, hooks);
    }

    /** Where it can't be found by the callback, the first consumer that polls on this thread is the container's. */
    boolean is(HookedConsumer asking, boolean polls) {
        if (known == null && polls && !hidden) {
            known = asking;
        }
        return known == asking;
    }
}
