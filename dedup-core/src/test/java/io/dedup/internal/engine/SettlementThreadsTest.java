package io.dedup.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SettlementThreadsTest {
    @Test
    @DisplayName("K18 where no thread can be had, the end of the work is recorded by the thread that ends it")
    void noThread() {
        AtomicInteger runs = new AtomicInteger();
        try (SettlementThreads threads = new SettlementThreads(work -> {
            throw new OutOfMemoryError("unable to create native thread");
        })) {
            threads.execute(runs::incrementAndGet);
        }
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName("after the end, the calling thread settles")
    void closed() {
        SettlementThreads threads = new SettlementThreads("memory");
        threads.close();
        AtomicInteger runs = new AtomicInteger();

        threads.execute(runs::incrementAndGet);

        assertThat(runs).hasValue(1);
    }
}
