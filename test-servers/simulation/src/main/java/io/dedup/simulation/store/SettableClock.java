package io.dedup.simulation.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** The store's clock: it stands still until a run moves it. Thread-safe. */
public final class SettableClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Instant instant() {
        return now;
    }

    public synchronized void advance(Duration time) {
        now = now.plus(time);
    }
}
