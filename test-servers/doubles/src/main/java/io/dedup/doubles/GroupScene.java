package io.dedup.doubles;

import io.dedup.DedupContexts;
import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** One topic, one group and one store with deduplicators of several processes. What a broker needs is added by a subclass. */
public abstract class GroupScene implements AutoCloseable {
    public final String topic = "t" + UUID.randomUUID().toString().substring(0, 8);
    public final String group = "g-" + topic;
    public final List<String> effects = new CopyOnWriteArrayList<>();
    /** Why messages were duplicates: {@code redelivered m-1}. */
    public final List<String> causes = new CopyOnWriteArrayList<>();
    /** Who sent the duplicates, where that is known. */
    public final List<String> senders = new CopyOnWriteArrayList<>();

    public final List<String> events;
    public final DedupStore store;
    public final DedupContexts contexts = Deduplicators.contexts();
    public final Deduplicator dedup;
    public final @Nullable TransactionalRecords records;
    private final DedupListener listener;
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();

    /**
     * A scene.
     *
     * @param records for a mode that keeps its records in the handlers' transactions
     */
    protected GroupScene(
            DedupStore store, @Nullable TransactionalRecords records, UnaryOperator<DedupPolicy.Builder> changes) {
        this(store, records, changes, new CopyOnWriteArrayList<>());
    }

    private GroupScene(
            DedupStore store,
            @Nullable TransactionalRecords records,
            UnaryOperator<DedupPolicy.Builder> changes,
            List<String> events) {
        this(store, records, changes, new EventRecorder(events), events);
    }

    /** @param listener adds to the events */
    protected GroupScene(
            DedupStore store,
            @Nullable TransactionalRecords records,
            UnaryOperator<DedupPolicy.Builder> changes,
            DedupListener listener,
            List<String> events) {
        this.store = store;
        this.records = records;
        this.events = events;
        this.listener = listener;
        this.dedup = deduplicator(changes);
    }

    /** Another process's deduplicator on the same store. */
    public final Deduplicator deduplicator(UnaryOperator<DedupPolicy.Builder> changes) {
        DeduplicatorBuilder builder = Deduplicators.builder(store);
        if (records != null) {
            builder.transactions(records);
        }
        return builder.consumer(group)
                .shutdownTimeout(Duration.ZERO)
                .defaults(changes.apply(DedupPolicy.builder()
                                .lease(Duration.ofSeconds(2))
                                .maxProcessingTime(Duration.ofMinutes(
                                        4)) // longer than a test waits, shorter than max.poll.interval.ms
                                .inFlightWait(Duration.ZERO)
                                .maxDeferDelay(Duration.ofMillis(50)))
                        .build())
                .listener(listener)
                .listener(new DedupListener() {
                    @Override
                    public void explained(DedupKey key, DuplicateDetails details) {
                        causes.add(details.cause().tag() + " " + key.messageId());
                        if (details.sender() != null) {
                            senders.add(details.sender());
                        }
                    }
                })
                .contexts(contexts)
                .build();
    }

    /** Another process runs this message now; its claim is under a heartbeat until it is closed out. */
    public final Execution runningElsewhere(String id) {
        Deduplicator other = closeLater(deduplicator(policy -> policy));
        Admission admission = DedupAdapter.of(other)
                .admit(Delivery.of(other.topic(topic), id, null, () -> "elsewhere"), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    public final DedupKey key(String id) {
        return DedupKey.of(dedup.topic(topic).scope(), id);
    }

    public final long count(String event) {
        return events.stream().filter(event::equals).count();
    }

    /** Before the deduplicator and the store; what is added last is closed first. */
    public final <T extends AutoCloseable> T closeLater(T closeable) {
        closing.push(closeable);
        return closeable;
    }

    @Override
    public final void close() {
        try {
            while (!closing.isEmpty()) {
                closing.pop().close();
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        dedup.close();
        store.close();
    }
}
