package io.dedup.support;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;

/** A deduplicator over a store that fails as it is told, on a clock that a test moves. */
public abstract class DeduplicatorTestBase {
    protected static final String TOPIC = "orders";

    protected final MovableClock clock = new MovableClock();
    protected final FaultyStore store = new FaultyStore(new InMemoryDedupStore(clock, Duration.ofDays(7)));
    protected final Events events = new Events();
    private final List<Deduplicator> open = new ArrayList<>();

    @AfterEach
    final void closeAll() {
        store.heal(); // or each close would wait for it
        open.forEach(Deduplicator::close);
    }

    protected final Deduplicator deduplicator() {
        return deduplicator(policy -> policy);
    }

    /** One whose close() doesn't wait. */
    protected final Deduplicator deduplicator(UnaryOperator<DedupPolicy.Builder> policy) {
        return deduplicator(store, policy);
    }

    protected final Deduplicator deduplicator(DedupStore other, UnaryOperator<DedupPolicy.Builder> policy) {
        return deduplicator(other, policy, builder -> builder);
    }

    protected final Deduplicator deduplicator(
            DedupStore other, UnaryOperator<DedupPolicy.Builder> policy, UnaryOperator<DeduplicatorBuilder> more) {
        Deduplicator made = more.apply(Deduplicators.builder(other)
                        .consumer("billing")
                        .defaults(policy.apply(DedupPolicy.builder().inFlightWait(Duration.ZERO))
                                .build())
                        .shutdownTimeout(Duration.ZERO)
                        .listener(events))
                .build();
        open.add(made);
        return made;
    }

    protected static DedupKey key(String id) {
        return DedupScope.of("billing", TOPIC).key(id);
    }

    protected final StoredRecord.State stateOf(String id) {
        return record(id).state();
    }

    protected final StoredRecord record(String id) {
        return store.find(key(id)).orElseThrow();
    }
}
