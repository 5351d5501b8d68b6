package io.dedup.rocketmq.internal.open;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The open messages of each message group, in the order of their receipt. Not thread-safe: guarded by the lock of
 * {@link OpenMessages}.
 */
final class MessageGroups {
    private final Map<String, Queue<OpenMessage>> groups = new HashMap<>();

    void add(OpenMessage message) {
        String group = message.group();
        if (group != null) {
            groups.computeIfAbsent(group, name -> new ArrayDeque<>()).add(message);
        }
    }

    void remove(OpenMessage message) {
        String group = message.group();
        Queue<OpenMessage> queue = group == null ? null : groups.get(group);
        if (queue != null && queue.remove(message) && queue.isEmpty()) {
            groups.remove(group);
        }
    }

    /** Whether the message is in its group, or has no group. */
    boolean holds(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return message.group() == null || (queue != null && queue.contains(message));
    }

    /** Whether no other message of its group is before this one. */
    boolean isFirst(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return queue == null || queue.peek() == message;
    }

    /** The first of a message's group; null if the group is empty, or the message has no group. */
    @Nullable
    OpenMessage first(OpenMessage message) {
        Queue<OpenMessage> queue = queue(message);
        return queue == null ? null : queue.peek();
    }

    /** The messages behind this one and behind its copies, each in its own group. */
    List<OpenMessage> behindAllOf(OpenMessage message) {
        List<OpenMessage> behind = new ArrayList<>();
        message.withCopies().forEach(each -> addBehind(each, behind));
        return behind;
    }

    private void addBehind(OpenMessage message, List<OpenMessage> behind) {
        Queue<OpenMessage> queue = queue(message);
        boolean found = false;
        for (OpenMessage other : queue == null ? List.<OpenMessage>of() : queue) {
            if (found) {
                behind.add(other);
            }
            found |= other == message;
        }
    }

    private @Nullable Queue<OpenMessage> queue(OpenMessage message) {
        String group = message.group();
        return group == null ? null : groups.get(group);
    }
}
