package io.dedup.internal.storecall;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupListener;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Call;
import io.dedup.support.FaultyStore.Fault;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared calls as the engine uses them. */
@Timeout(120)
class SharedStoreCallsTest {
    private static final int THREADS = 40;

    private final FaultyStore store = new FaultyStore(new InMemoryDedupStore());
    private final Queue<String> calls = new ConcurrentLinkedQueue<>();
    private final ExecutorService pool = Executors.newFixedThreadPool(THREADS);

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    private Deduplicator deduplicator(boolean sharing) {
        return Deduplicators.builder(store)
                .consumer("billing")
                .sharedStoreCalls(sharing)
                .listener(new DedupListener() {
                    @Override
                    public void storeCalled(String operation, int keys, Duration took) {
                        calls.add(operation + " " + keys);
                    }
                })
                .build();
    }

    private boolean sharedSome(Op op) {
        return store.calls(op).stream().anyMatch(call -> call.requests().size() > 1);
    }

    private static List<?> slowly(Call call, Function<List<?>, List<?>> real) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2)); // as long as a database may take
        return real.apply(call.requests());
    }

    @Test
    @DisplayName("many threads share calls; each message is handled once, and each caller reports its own call")
    void shared() throws Exception {
        store.on(Op.CLAIM, SharedStoreCallsTest::slowly);
        store.on(Op.COMPLETE, SharedStoreCallsTest::slowly);
        Map<String, AtomicInteger> effects = new ConcurrentHashMap<>();
        AtomicInteger messages = new AtomicInteger();
        try (Deduplicator deduplicator = deduplicator(true)) {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                all.add(pool.submit(() -> {
                    while (!sharedSome(Op.CLAIM) || !sharedSome(Op.COMPLETE)) {
                        String id = "m" + messages.incrementAndGet() / 2; // most come twice, on two threads
                        DedupOutcome<Object> unused = deduplicator.execute(
                                deduplicator.key("orders", id),
                                context -> effects.computeIfAbsent(id, key -> new AtomicInteger())
                                        .incrementAndGet());
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get(100, TimeUnit.SECONDS);
            }
        }

        assertThat(effects.values())
                .isNotEmpty()
                .allSatisfy(count -> assertThat(count).hasValue(1));
        assertThat(calls.stream().distinct()).containsOnly("claim 1", "complete 1");
    }

    @Test
    @DisplayName("without the setting, each thread makes its own calls")
    void off() throws Exception {
        Fault slow = SharedStoreCallsTest::slowly;
        store.on(Op.CLAIM, slow);
        try (Deduplicator deduplicator = deduplicator(false)) {
            List<Future<DedupOutcome<Object>>> all = new ArrayList<>();
            for (int i = 0; i < 5 * THREADS; i++) {
                String id = "m" + i;
                all.add(pool.submit(
                        () -> deduplicator.execute(deduplicator.key("orders", id), context -> new Object())));
            }
            for (Future<DedupOutcome<Object>> each : all) {
                assertThat(each.get(100, TimeUnit.SECONDS)).isInstanceOf(DedupOutcome.Handled.class);
            }
        }

        assertThat(sharedSome(Op.CLAIM)).isFalse();
        assertThat(sharedSome(Op.COMPLETE)).isFalse();
    }
}
