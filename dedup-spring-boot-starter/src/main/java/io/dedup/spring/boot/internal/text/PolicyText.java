package io.dedup.spring.boot.internal.text;

import io.dedup.DedupPolicy;
import io.dedup.spring.boot.internal.deduplicator.DedupUnits;

/** Writes a policy as properties have it. */
public final class PolicyText {
    private PolicyText() {}

    /** The settings that decide about messages, such as {@code mode leased, window 7d, lease 30s, …}. */
    public static String of(DedupPolicy policy) {
        return "mode " + DedupUnits.name(policy.mode())
                + ", window " + DurationText.of(policy.window())
                + ", lease " + DurationText.of(policy.lease())
                + ", max-processing-time " + DurationText.of(policy.maxProcessingTime())
                + ", in-flight-wait " + DurationText.of(policy.inFlightWait())
                + ", on-store-failure " + DedupUnits.name(policy.onStoreFailure())
                + ", on-missing-id " + DedupUnits.name(policy.onMissingId())
                + ", on-conflict " + DedupUnits.name(policy.onConflict())
                + ", max-deaths " + policy.maxDeaths()
                + (policy.shadow() ? ", shadow" : "");
    }
}
