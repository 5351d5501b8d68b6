package io.dedup.examples.recipes;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** docs/recipes/renamed-group.md: another consumer group, the same records. */
final class RenamedGroup {
    private RenamedGroup() {}

    // docs:begin consumer
    static Deduplicator deduplicator(DedupStore store) {
        return Deduplicators.builder(store)
                .consumer("ledger") // the old group's name, under which the records are
                .topic("transfers", policy -> policy.window(Duration.ofDays(7)))
                .build();
    }
    // docs:end

    // docs:begin offsets
    /** Both groups have to be stopped. */
    static void copyOffsets(Admin admin, String from, String to) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(from)
                .partitionsToOffsetAndMetadata()
                .get();
        admin.alterConsumerGroupOffsets(to, offsets).all().get();
    }
    // docs:end
}
