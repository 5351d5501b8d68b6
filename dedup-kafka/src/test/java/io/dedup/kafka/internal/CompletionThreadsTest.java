package io.dedup.kafka.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CompletionThreadsTest {
    @Test
    @DisplayName("K18 where no thread can be had, the end of the work is recorded by the thread that ends it")
    void noThread() {
        AtomicInteger runs = new AtomicInteger();
        try (CompletionThreads completionThreads = new CompletionThreads(work -> {
            throw new OutOfMemoryError("unable to create native thread");
        })) {
            completionThreads.execute(runs::incrementAndGet);
        }
        assertThat(runs).hasValue(1);
    }
}
