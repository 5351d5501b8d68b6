package io.dedup.schedules;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.ack.ContainerAck;
import io.dedup.kafka.internal.ack.ManualAcks;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.ack.TrackedAcknowledgment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.support.Acknowledgment;

/** Workers that acknowledge the records of a Kafka consumer, while it delivers more. */
final class AckScenes {
    private static final int RECORDS = 3;

    private AckScenes() {}

    static Map<String, Runnable> all() {
        return Map.of("acks", () -> acks(false), "single-acks", () -> acks(true));
    }

    /**
     * Whenever the container may commit an offset, everything below it is done.
     *
     * @param single whether a worker acknowledges its record alone, as with {@code asyncAcks}, or all below it as well
     */
    private static void acks(boolean single) {
        Messages messages = new Messages();
        Deduplicator dedup = messages.process();
        DedupAdapter engine = DedupAdapter.of(dedup);
        PendingDeliveries pending = new PendingDeliveries();
        ManualAcks acks = new ManualAcks(
                engine, pending, new Redeliveries(pending, partition -> {}), WaitBudget::none, success -> false);
        List<Integer> committed = new ArrayList<>();
        List<Runnable> workers = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            Delivery delivery = Messages.delivery(dedup, i);
            ConsumerRecord<String, String> record = new ConsumerRecord<>("orders", 0, i, "", "o-" + i);
            int offset = i;
            Acknowledgment ofContainer = () -> {
                for (int below = 0; below <= offset; below++) {
                    DedupKey key = Messages.key(dedup, below);
                    Messages.check(messages.isDone(key), "committed " + offset + ", and " + below + " isn't done");
                }
                synchronized (committed) {
                    committed.add(offset);
                }
            };
            ContainerAck ack = ContainerAck.of(record, ofContainer);
            Admission.Run run = (Admission.Run) engine.admit(delivery, WaitBudget.none());
            run.execution().begin();
            TrackedAcknowledgment given =
                    new TrackedAcknowledgment(ofContainer, acks, acks.given(record, run.execution(), ack), ack, single);
            workers.add(() -> {
                if (single) {
                    messages.effect(requireNonNull(delivery.key()));
                } // otherwise whoever acknowledges has handled everything below as well
                given.acknowledge();
            });
        }
        if (!single) {
            for (int i = 0; i < RECORDS; i++) {
                messages.effect(Messages.key(dedup, i));
            }
        }
        Messages.together(workers.toArray(Runnable[]::new));
        messages.check(dedup, RECORDS, true);
        Messages.check(committed.contains(RECORDS - 1), "committed only " + committed);
        dedup.close();
    }
}
