package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.adapter.Delivery;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.SettingNames;
import io.dedup.text.Printable;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices when no message of a topic has had a usable ID so far. Then the ID extractor is probably wrong, and rejecting
 * each message would empty the topic: from the {@link io.dedup.policy.DedupPolicy#missingIdLimit() limit} on they are
 * deferred, until one message has a usable ID. A single bad message among good ones is rejected, and so is the first one
 * of a topic, however long the next one takes. Thread-safe.
 *
 * <p>Counts messages by their origin, because a message may be delivered several times. A caller that has one origin for
 * all its messages, such as an annotated method, never reaches a limit above 1: it is given each exception itself.
 */
public final class MissingIds {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.Deduplicator");
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Map<DedupScope, Topic> topics = new ConcurrentHashMap<>();

    /** The messages of a topic until the first one that has a usable ID. */
    private static final class Topic {
        private final Lock lock = new ReentrantLock();
        private final Set<String> rejected = new HashSet<>();
        private final AtomicLong lineDue = new AtomicLong(System.nanoTime());
        private volatile boolean hadUsableId;

        boolean mustWait(String origin, int limit) {
            lock.lock();
            try {
                if (hadUsableId || rejected.contains(origin)) {
                    return false;
                }
                if (rejected.size() < limit - 1) {
                    rejected.add(origin);
                    return false;
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        boolean isLineDue() {
            long now = System.nanoTime();
            long due = lineDue.get();
            return now - due >= 0 && lineDue.compareAndSet(due, now + QUIET_NANOS);
        }

        void usableId() {
            lock.lock();
            try {
                hadUsableId = true;
                rejected.clear();
            } finally {
                lock.unlock();
            }
        }
    }

    private Topic topic(DedupTopic of) {
        DedupScope scope = of.scope();
        Topic topic = topics.get(scope); // first, because computeIfAbsent may lock
        return topic == null ? topics.computeIfAbsent(scope, unused -> new Topic()) : topic;
    }

    /** Called for each delivery before anything is decided about it, or about others of its batch. */
    void arrived(Delivery delivery) {
        if (delivery.key() != null) {
            Topic topic = topic(delivery.topic());
            if (!topic.hadUsableId) {
                topic.usableId();
            }
        }
    }

    /** Whether a delivery without a usable ID is deferred, whatever the policy. Says so in the log, not too often. */
    boolean mustWait(Delivery delivery, String origin) {
        DedupTopic of = delivery.topic();
        int limit = of.policy().missingIdLimit();
        if (limit == 0 || of.policy().onMissingId() != OnMissingId.FAIL || delivery.isShadow()) {
            return false;
        }
        Topic topic = topic(of);
        if (!topic.mustWait(origin, limit)) {
            return false;
        }
        if (topic.isLineDue()) {
            log.error("{}", line(of, origin, requireNonNull(delivery.problem())));
        }
        return true;
    }

    private static String line(DedupTopic topic, String origin, String problem) {
        SettingNames names = topic.policy().settingNames();
        return "Message in " + origin + ": " + problem
                + ". No message of this topic had a usable ID since the start, so the"
                + " message ID setting is probably wrong. Consumer "
                + Printable.of(topic.scope().consumer())
                + " defers such messages instead of rejecting them all, and waits ("
                + names.path("missingIdLimit") + ": " + topic.policy().missingIdLimit()
                + "). Correct the topic's message ID (" + names.path("id")
                + ") and restart. If these messages really have no ID, set "
                + names.path("onMissingId") + " to " + names.value(OnMissingId.PROCESS) + " (no deduplication) or "
                + names.value(OnMissingId.SKIP) + " (acknowledge without handling), or " + names.name("missingIdLimit")
                + " to 0 (reject each).";
    }
}
