package io.dedup.examples.plan;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Stands for somebody whose answer takes a moment. */
final class PaymentProvider {
    private static final long MILLIS = 50;

    private PaymentProvider() {}

    static void check(String payment) {
        if (payment.isEmpty()) {
            throw new IllegalArgumentException("no payment");
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(MILLIS));
    }
}
