package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.deferral.Deferrals;
import io.dedup.kafka.internal.record.RecordDeliveries;

/** The collaborators of the listeners of one container. Set when the container is decorated. */
public record ContainerServices(
        DedupAdapter engine,
        RecordDeliveries deliveries,
        BoundConsumers consumers,
        Deferrals deferrals,
        KafkaTransactions kafkaTransactions) {}
