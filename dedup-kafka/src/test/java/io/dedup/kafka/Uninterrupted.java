package io.dedup.kafka;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A handler that takes until the test lets it go. */
final class Uninterrupted {
    private Uninterrupted() {}

    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody let the handler go");
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
