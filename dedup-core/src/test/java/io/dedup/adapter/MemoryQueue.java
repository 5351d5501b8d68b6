package io.dedup.adapter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A broker as small as it can be: a queue in this process that leases a message until it is acknowledged, and delivers it again
 * when it isn't. Thread-safe.
 */
final class MemoryQueue {
    /**
     * A message, and how often it was delivered.
     *
     * @param id the business ID; null when the producer has set none
     */
    record Message(long number, @Nullable String id, String body, int deliveries) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Message> waiting = new ArrayDeque<>();
    private final Map<Long, Message> leased = new HashMap<>();
    private final Deque<Message> deadLetters = new ArrayDeque<>();
    private Duration lastDelay = Duration.ZERO;
    private long next;

    void put(@Nullable String id, String body) {
        lock.lock();
        try {
            waiting.add(new Message(next++, id, body, 0));
        } finally {
            lock.unlock();
        }
    }

    /** The next message, leased to the caller; null when there is none. */
    @Nullable
    Message lease() {
        lock.lock();
        try {
            Message message = waiting.poll();
            if (message == null) {
                return null;
            }
            Message delivered = new Message(message.number(), message.id(), message.body(), message.deliveries() + 1);
            leased.put(delivered.number(), delivered);
            return delivered;
        } finally {
            lock.unlock();
        }
    }

    /** The message is done, and never delivered again. */
    void ack(Message message) {
        lock.lock();
        try {
            leased.remove(message.number());
        } finally {
            lock.unlock();
        }
    }

    /** The message is delivered again, after the delay (which this queue only remembers). */
    void nack(Message message, Duration delay) {
        lock.lock();
        try {
            if (leased.remove(message.number()) != null) {
                waiting.add(message);
                lastDelay = delay;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The message cannot be handled, and isn't delivered again. */
    void deadLetter(Message message) {
        lock.lock();
        try {
            if (leased.remove(message.number()) != null) {
                deadLetters.add(message);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The consumer died: what it had leased is delivered again. */
    void expireLeases() {
        lock.lock();
        try {
            waiting.addAll(leased.values());
            leased.clear();
        } finally {
            lock.unlock();
        }
    }

    /** How many messages are neither acknowledged nor dead letters. */
    int unfinished() {
        lock.lock();
        try {
            return waiting.size() + leased.size();
        } finally {
            lock.unlock();
        }
    }

    int deadLetters() {
        lock.lock();
        try {
            return deadLetters.size();
        } finally {
            lock.unlock();
        }
    }

    Duration lastDelay() {
        lock.lock();
        try {
            return lastDelay;
        } finally {
            lock.unlock();
        }
    }
}
