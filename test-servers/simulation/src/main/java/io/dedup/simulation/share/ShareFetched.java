package io.dedup.simulation.share;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a share consumer has returned of one partition and not yet committed. Renewed records are returned once more. */
final class ShareFetched {
    private final TreeMap<Long, ConsumerRecord<String, String>> inFlight = new TreeMap<>();
    private final TreeMap<Long, AcknowledgeType> acknowledged = new TreeMap<>();
    private final Map<Long, ConsumerRecord<String, String>> renewing = new HashMap<>();
    private final TreeMap<Long, ConsumerRecord<String, String>> renewed = new TreeMap<>();

    void add(ConsumerRecord<String, String> record) {
        inFlight.put(record.offset(), record);
    }

    void acknowledge(long offset, AcknowledgeType type) {
        if (!inFlight.containsKey(offset)) {
            throw new IllegalStateException("The record cannot be acknowledged.");
        }
        acknowledged.put(offset, type);
    }

    void acceptTheRest() {
        inFlight.keySet().forEach(offset -> acknowledged.putIfAbsent(offset, AcknowledgeType.ACCEPT));
    }

    boolean isAcknowledged() {
        return inFlight.size() == acknowledged.size();
    }

    List<ConsumerRecord<String, String>> inFlight() {
        return new ArrayList<>(inFlight.values());
    }

    boolean isEmpty() {
        return inFlight.isEmpty() && acknowledged.isEmpty();
    }

    boolean hasRenewals() {
        return !renewing.isEmpty() || !renewed.isEmpty();
    }

    /** What is sent now. It isn't in flight any more. */
    SortedMap<Long, AcknowledgeType> take() {
        SortedMap<Long, AcknowledgeType> taken = new TreeMap<>(acknowledged);
        taken.forEach((offset, type) -> {
            ConsumerRecord<String, String> record = inFlight.remove(offset);
            if (type == AcknowledgeType.RENEW && record != null) {
                renewing.put(offset, record);
            }
        });
        acknowledged.clear();
        return taken;
    }

    /** The broker has answered. */
    void answered(SortedMap<Long, AcknowledgeType> sent, boolean failed) {
        sent.forEach((offset, type) -> {
            ConsumerRecord<String, String> record = renewing.remove(offset);
            if (record != null && !failed) {
                renewed.put(offset, record);
            }
        });
    }

    void takeRenewed() {
        inFlight.putAll(renewed);
        renewed.clear();
    }
}
