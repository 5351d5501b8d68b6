package io.dedup.rocketmq.internal.open;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The open messages of each message group, in the order of their receipt. Guarded by its loop. */
public final class Lanes {
    private final Map<String, Queue<OpenMessage>> lanes = new HashMap<>();

    public void add(OpenMessage message) {
        String lane = message.lane();
        if (lane != null) {
            lanes.computeIfAbsent(lane, name -> new ArrayDeque<>()).add(message);
        }
    }

    public void remove(OpenMessage message) {
        String lane = message.lane();
        Queue<OpenMessage> queue = lane == null ? null : lanes.get(lane);
        if (queue != null && queue.remove(message) && queue.isEmpty()) {
            lanes.remove(lane);
        }
    }

    /** Whether it has its place in its message group, or has no group. */
    public boolean holds(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return message.lane() == null || (queue != null && queue.contains(message));
    }

    /** Whether nothing of its message group is before it. */
    public boolean isFirst(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return queue == null || queue.peek() == message;
    }

    /** The first of a message's group; null when the group has none any more, or the message has no group. */
    @Nullable
    public OpenMessage first(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return queue == null ? null : queue.peek();
    }

    /** What came after it in its message group. */
    public List<OpenMessage> behind(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        List<OpenMessage> behind = new ArrayList<>();
        boolean found = false;
        for (OpenMessage other : queue == null ? List.<OpenMessage>of() : queue) {
            if (found) {
                behind.add(other);
            }
            found |= other == message;
        }
        return behind;
    }

    private @Nullable Queue<OpenMessage> queue(OpenMessage message) {
        String lane = message.lane();
        return lane == null ? null : lanes.get(lane);
    }
}
