package io.dedup.kafka.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CalledRecordsTest {
    private final CalledRecords called = new CalledRecords();

    @Test
    @DisplayName(
            "an acknowledgment on another thread doesn't hide the call that begins meanwhile, nor bring back the one that ends")
    void acknowledgedElsewhere() throws InterruptedException {
        called.begin(List::of, false);
        acknowledgedElsewhere(called::end);
        assertThat(called.isAny()).isFalse();

        acknowledgedElsewhere(() -> called.begin(List::of, true));
        assertThat(called.isAny()).isTrue();
    }

    private void acknowledgedElsewhere(Runnable meanwhile) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread elsewhere = new Thread(() -> called.without(() -> {
            begun.countDown();
            try {
                ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }));
        elsewhere.start();
        begun.await();
        meanwhile.run();
        ends.countDown();
        elsewhere.join();
    }

    @Test
    @DisplayName("what the container commits in an acknowledgment of its own thread is no commit of the call's")
    void acknowledgedHere() {
        called.begin(List::of, false);
        called.without(() -> assertThat(called.isAny()).isFalse());
        assertThat(called.isAny()).isTrue();
    }
}
