package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.internal.plan.PlannedListener;

/** A listener that is deduplicated, and the deduplicator that serves it. */
public record DeduplicatedListener(PlannedListener listener, ServingDeduplicator servedBy) {}
