package io.dedup.spring.boot;

import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Settings for all paths or one path of {@code dedup.http}. Null means: use the more general setting. Not thread-safe. */
public class HttpPolicyProperties {
    /** Whether requests are deduplicated; true by default. */
    private @Nullable Boolean enabled;

    /** The consumer name within which keys are unique, such as payments-api. Each path needs one. Changing it forgets windows. */
    private @Nullable String consumer;

    /** What separates the keys of different clients: principal, header:X-Tenant, none, or several joined with ' + '. principal by default, which needs Spring Security; without it, this must be set. */
    private @Nullable String scopeBy;

    /** The request methods that are deduplicated; POST and PATCH by default. Requests with other methods pass. */
    private @Nullable Set<String> methods;

    /** Whether a request without a key is rejected with 400. With false, it runs without deduplication. true by default. */
    private @Nullable Boolean required;

    /** How long a key is remembered after its request completed; dedup.defaults.window by default. It must be longer than the time for which clients retry. */
    private @Nullable Window window;

    /** How long a claim stays valid without being renewed; dedup.defaults.lease by default. */
    private @Nullable Duration lease;

    /** How long a request may run: its lease is renewed for this long; dedup.defaults.max-processing-time by default. */
    private @Nullable Duration maxProcessingTime;

    /** How long a duplicate of a request in flight waits before it is answered with 409. The wait occupies a thread. 0s by default. */
    private @Nullable Duration inFlightWait;

    /** What happens to requests while the store doesn't answer: they are answered with 503 (retry), or they run without deduplication (process). dedup.defaults.on-store-failure by default; pause counts as retry. */
    private @Nullable OnStoreFailure onStoreFailure;

    /** What a response with a 4xx status means: the effect has not happened, and the key can be used again (release), or the response is stored for duplicates (store). release by default. */
    private @Nullable OnClientError onClientError;

    /** Whether a key that is reused for another request is answered with 422. Method, path, query and body are compared. true by default. */
    private @Nullable Boolean fingerprint;

    /** The largest request body; 1MB by default. A larger one is answered with 413. The body is kept in memory while the request runs. Without fingerprint, it is neither read nor limited. */
    private @Nullable DataSize maxRequestSize;

    /** The largest response body that is stored for duplicates; 64KB by default, 8MB at most. A larger one is sent to the client, but its duplicates get status and headers only. */
    private @Nullable DataSize maxResponseSize;

    public @Nullable Boolean getEnabled() {
        return enabled;
    }

    public void setEnabled(@Nullable Boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getConsumer() {
        return consumer;
    }

    public void setConsumer(@Nullable String consumer) {
        this.consumer = consumer;
    }

    public @Nullable String getScopeBy() {
        return scopeBy;
    }

    public void setScopeBy(@Nullable String scopeBy) {
        this.scopeBy = scopeBy;
    }

    public @Nullable Set<String> getMethods() {
        return methods;
    }

    public void setMethods(@Nullable Set<String> methods) {
        this.methods = methods;
    }

    public @Nullable Boolean getRequired() {
        return required;
    }

    public void setRequired(@Nullable Boolean required) {
        this.required = required;
    }

    public @Nullable Window getWindow() {
        return window;
    }

    public void setWindow(@Nullable Window window) {
        this.window = window;
    }

    public @Nullable Duration getLease() {
        return lease;
    }

    public void setLease(@Nullable Duration lease) {
        this.lease = lease;
    }

    public @Nullable Duration getMaxProcessingTime() {
        return maxProcessingTime;
    }

    public void setMaxProcessingTime(@Nullable Duration maxProcessingTime) {
        this.maxProcessingTime = maxProcessingTime;
    }

    public @Nullable Duration getInFlightWait() {
        return inFlightWait;
    }

    public void setInFlightWait(@Nullable Duration inFlightWait) {
        this.inFlightWait = inFlightWait;
    }

    public @Nullable OnStoreFailure getOnStoreFailure() {
        return onStoreFailure;
    }

    public void setOnStoreFailure(@Nullable OnStoreFailure onStoreFailure) {
        this.onStoreFailure = onStoreFailure;
    }

    public @Nullable OnClientError getOnClientError() {
        return onClientError;
    }

    public void setOnClientError(@Nullable OnClientError onClientError) {
        this.onClientError = onClientError;
    }

    public @Nullable Boolean getFingerprint() {
        return fingerprint;
    }

    public void setFingerprint(@Nullable Boolean fingerprint) {
        this.fingerprint = fingerprint;
    }

    public @Nullable DataSize getMaxRequestSize() {
        return maxRequestSize;
    }

    public void setMaxRequestSize(@Nullable DataSize maxRequestSize) {
        this.maxRequestSize = maxRequestSize;
    }

    public @Nullable DataSize getMaxResponseSize() {
        return maxResponseSize;
    }

    public void setMaxResponseSize(@Nullable DataSize maxResponseSize) {
        this.maxResponseSize = maxResponseSize;
    }

    /** What a response with a 4xx status means. */
    public enum OnClientError {
        /** The effect has not happened: the client may use the key again, also for a corrected request. */
        RELEASE,
        /** The response is stored, and duplicates receive it. 401, 403, 408, 425 and 429 are released all the same. */
        STORE
    }
}
