package io.dedup.kafka.clients;

import io.dedup.Deduplicator;
import io.dedup.kafka.clients.internal.loop.Loop;
import io.dedup.kafka.clients.internal.turn.BatchWork;
import io.dedup.kafka.clients.internal.turn.Work;
import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.clients.consumer.Consumer;

/**
 * Polls a plain {@link org.apache.kafka.clients.consumer.KafkaConsumer} and handles each business message once.
 *
 * <pre>{@code
 * try (DedupPoll<String, String> orders = DedupPoll.builder(deduplicator)
 *         .id(KafkaMessageIds.header("order-id"))
 *         .open(consumer, List.of("orders"))) {
 *     while (running) {
 *         orders.poll(Duration.ofMillis(200), record -> handle(record));
 *     }
 * }
 * }</pre>
 *
 * <p>{@code poll} claims the polled records with one call of the store, hands the new ones to the handler in the order
 * of their offsets, records their success with one call, and then commits. Duplicates are committed without calling the
 * handler. A record that cannot be handled yet (another consumer is handling a copy of it, the handler has failed, the
 * store does not answer) keeps only its own partition waiting: its offset is not committed, and it is fetched again
 * after a delay.
 *
 * <p>Everything happens on the thread that calls {@code poll}; leases are renewed, and successes recorded early, in the
 * background. Like the consumer, this is not for use by several threads; only {@code consumer.wakeup()} may be called
 * by another one. While it is open, do not call the consumer's {@code poll}, {@code commit}, {@code seek} and
 * {@code subscribe} methods, except to seek over a record that cannot be deserialized.
 *
 * @param <K> the type of the records' keys
 * @param <V> the type of the records' values
 */
public final class DedupPoll<K, V> implements AutoCloseable {
    private final Loop<K, V> loop;
    private final Consumer<K, V> consumer;

    DedupPoll(Consumer<K, V> consumer, Loop<K, V> loop) {
        this.consumer = consumer;
        this.loop = loop;
    }

    /** Starts to configure a loop. Close the deduplicator after the loop. */
    public static DedupPollBuilder builder(Deduplicator deduplicator) {
        return new DedupPollBuilder(Objects.requireNonNull(deduplicator, "deduplicator"));
    }

    /**
     * Polls once, and handles what the consumer returns, one record at a time.
     *
     * <p>Exceptions of the handler never leave this method: see {@link DedupPollBuilder#retryDelay} and
     * {@link DedupPollBuilder#giveUpAfter}. An {@link Error} does, after its record's claim was released and the
     * records before it were committed. Whatever leaves this method, no unhandled record is committed, and the next
     * call goes on with the first of them.
     *
     * @param timeout how long to wait for records; less while a partition waits
     * @return how many handlers were successful
     * @throws org.apache.kafka.common.errors.WakeupException after {@code consumer.wakeup()}; what was handled is
     *     committed
     * @throws org.apache.kafka.common.errors.InterruptException if the thread is interrupted
     * @throws org.apache.kafka.common.KafkaException what the consumer throws, for example
     *     {@code RecordDeserializationException}, unless trying again can help
     * @throws IllegalStateException if this is closed, the handler calls this, or another consumer group reads the
     *     topic under the same consumer name
     */
    public int poll(Duration timeout, RecordHandler<K, V> handler) {
        Work<K, V> work = (record, context) -> handler.handle(record);
        return loop.poll(timeout, work);
    }

    /** Like {@link #poll(Duration, RecordHandler)}, for a handler that uses the context of its run. */
    public int poll(Duration timeout, ContextRecordHandler<K, V> handler) {
        Work<K, V> work = handler::handle;
        return loop.poll(timeout, work);
    }

    /**
     * Like {@link #poll(Duration, RecordHandler)}, but handles all new records of the poll with one call. If that call
     * fails, each of its records is delivered again in a call of its own. In the transactional modes each record has a
     * call and a transaction of its own.
     *
     * @return for how many records the handler was successful
     */
    public int pollBatch(Duration timeout, BatchHandler<K, V> handler) {
        BatchWork<K, V> work = handler::handle;
        return loop.pollBatch(timeout, work);
    }

    /** Returns the consumer, for example to call {@link Consumer#wakeup()} or to read its metrics. */
    public Consumer<K, V> consumer() {
        return consumer;
    }

    /**
     * Commits what is handled, and closes the consumer. Does nothing if it is already closed.
     *
     * @throws IllegalStateException if a handler calls this
     */
    @Override
    public void close() {
        loop.close();
    }
}
