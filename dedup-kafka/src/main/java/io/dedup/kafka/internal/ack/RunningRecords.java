package io.dedup.kafka.internal.ack;

import io.dedup.DedupKey;
import io.dedup.adapter.Delivery;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The records that one consumer's handler has. Read and written under the lock of {@link PendingDeliveries}. */
final class RunningRecords {
    private final Map<DedupKey, PendingDelivery> byKey = new HashMap<>();
    /** Those that aren't overdue, the oldest first. */
    private final Set<PendingDelivery> inTime = new LinkedHashSet<>();

    void add(PendingDelivery given) {
        inTime.add(given);
        DedupKey key = given.key();
        if (key != null && given.execution != null && given.execution.guarded()) {
            byKey.put(key, given);
        }
    }

    void remove(PendingDelivery delivery) {
        inTime.remove(delivery);
        DedupKey key = delivery.key();
        if (key != null) {
            byKey.remove(key, delivery);
        }
    }

    /**
     * The delivery that the given one is a copy of, because the handler has the same message; null if there is none.
     */
    @Nullable
    PendingDelivery firstOf(Delivery delivery) {
        DedupKey key = delivery.key();
        if (key == null || delivery.topic().policy().shadow()) {
            return null;
        }
        PendingDelivery first = byKey.get(key);
        // After a lost lease another consumer may have the message, so the store decides; also if the payloads differ.
        return first == null
                        || first.execution == null
                        || first.execution.leaseLost()
                        || first.execution.isOverdue()
                        || first.differsFrom(delivery)
                ? null
                : first;
    }

    /** Whether the handler has a record that isn't overdue. */
    boolean isAny() {
        return !inTime.isEmpty();
    }

    /** Whether the handler may be given another record. Overdue runs don't count: they may never end. */
    boolean hasRoom(int limit) {
        return inTime.size() < limit || (inTime.removeIf(PendingDelivery::isOverdue) && inTime.size() < limit);
    }
}
