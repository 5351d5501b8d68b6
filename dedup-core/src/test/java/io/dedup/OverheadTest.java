package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Allocation doesn't depend on the machine's load, so it can be a gate; time is measured by the benchmarks. Alone, as Lincheck's
 * tests instrument the same classes while they run.
 */
@Isolated
class OverheadTest {
    private static final int MESSAGES = 20_000;

    @Test
    void aNewMessageAllocatesLessThanAKibibyte() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
                .consumer("billing")
                .build()) {
            execute(dedup, keys(dedup, "warm"));
            List<DedupKey> keys = keys(dedup, "m");
            long before = threads.getCurrentThreadAllocatedBytes();
            execute(dedup, keys);
            long bytes = (threads.getCurrentThreadAllocatedBytes() - before) / MESSAGES;

            assertThat(bytes).isLessThan(1_024);
        }
    }

    private static void execute(Deduplicator dedup, List<DedupKey> keys) {
        for (DedupKey key : keys) {
            dedup.execute(key, context -> "");
        }
    }

    private static List<DedupKey> keys(Deduplicator dedup, String prefix) {
        List<DedupKey> keys = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            keys.add(dedup.key("orders", prefix + i));
        }
        return keys;
    }
}
