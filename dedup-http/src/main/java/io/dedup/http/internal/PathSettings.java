package io.dedup.http.internal;

/** Settings of a path as they were checked. Sizes are in bytes. */
public record PathSettings(
        MatchedRequests requests,
        String topic,
        boolean required,
        ClientScope scopeBy,
        boolean storeClientErrors,
        boolean fingerprint,
        int maxRequestSize,
        int maxResponseSize) {}
