package io.dedup.examples.parallel;

import io.confluent.parallelconsumer.PCRetriableException;
import io.confluent.parallelconsumer.PollContext;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.MissingMessageIdException;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The function that a {@code ParallelStreamProcessor} calls on its worker threads. */
public final class ParallelOrders implements Consumer<PollContext<String, String>> {
    private final Deduplicator deduplicator;
    private final Consumer<String> orders;
    private final Consumer<ConsumerRecord<String, String>> deadLetters;

    /**
     * @param orders does the work
     * @param deadLetters returns once the record is stored elsewhere
     */
    public ParallelOrders(
            Deduplicator deduplicator, Consumer<String> orders, Consumer<ConsumerRecord<String, String>> deadLetters) {
        this.deduplicator = deduplicator;
        this.orders = orders;
        this.deadLetters = deadLetters;
    }

    // docs:begin function
    @Override
    public void accept(PollContext<String, String> polled) {
        ConsumerRecord<String, String> record = polled.getSingleConsumerRecord();
        DedupKey key;
        try {
            key = deduplicator.key(record.topic(), record.key());
        } catch (MissingMessageIdException e) { // without a key: trying again cannot help
            deadLetters.accept(record);
            return;
        }
        DedupOutcome<Boolean> outcome = deduplicator.execute(key, context -> {
            orders.accept(record.value());
            return true;
        });
        if (outcome instanceof DedupOutcome.Deferred<?> deferred) { // tried again later, and not committed
            throw new PCRetriableException("Deferred: " + deferred.reason());
        }
        if (outcome instanceof DedupOutcome.Rejected<?>) { // trying again cannot help
            deadLetters.accept(record);
        }
    }
    // docs:end
}
