package io.dedup.spring.boot;

import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** An entry of {@code dedup.http.paths}. Not thread-safe. */
public class HttpPathProperties {
    /** The path pattern, if the entry has another name, such as /payments or /accounts/{id}/transfers. */
    private @Nullable String path;

    /** Whether requests for this path are deduplicated. */
    private boolean enabled = true;

    /** The request methods that are deduplicated. Requests with other methods pass. */
    private Set<String> methods = Set.of("POST", "PATCH");

    /** Whether a request without a key is rejected with 400. With false, it runs without deduplication. */
    private boolean required = true;

    /** The consumer name within which keys are unique; dedup.http.consumer by default. Changing it forgets windows. */
    private @Nullable String consumer;

    /** The topic name within which keys are unique; the path pattern by default. Changing it forgets windows. */
    private @Nullable String topic;

    /** Set this only if the request handler itself does what the listeners of this consumer and topic do, instead of publishing a message for them. Whichever comes first then does it. */
    private boolean sameEffectAsListeners = false;

    /** What separates the keys of different clients; dedup.http.scope-by by default. */
    private @Nullable String scopeBy;

    /** How long a key is remembered after its request completed; dedup.defaults.window by default. Do not set less than the time for which clients retry. */
    private @Nullable Window window;

    /** How long a claim stays valid without being renewed; dedup.defaults.lease by default. */
    private @Nullable Duration lease;

    /** How long a request may run: its lease is renewed for this long; dedup.defaults.max-processing-time by default. */
    private @Nullable Duration maxProcessingTime;

    /** How long a duplicate of a request in flight waits before it is answered with 409. The wait occupies a thread. */
    private Duration inFlightWait = Duration.ZERO;

    /** What happens to requests while the store doesn't answer: 503 (retry), or they run without deduplication (process). dedup.defaults.on-store-failure by default; pause counts as retry. */
    private @Nullable OnStoreFailure onStoreFailure;

    /** What a response with a 4xx status means: the effect has not happened and the key can be used again (release), or the response is stored for duplicates (store). */
    private OnClientError onClientError = OnClientError.RELEASE;

    /** Whether a key that is reused for another request is answered with 422. Compared are method, path, query and body. */
    private boolean fingerprint = true;

    /** The largest request body. A larger one is answered with 413. The body is kept in memory while the request runs. */
    private DataSize maxRequestSize = DataSize.ofMegabytes(1);

    /** The largest response body that is stored for duplicates. A larger one is sent to the client, but its duplicates get status and headers only. 8MB at most. */
    private DataSize maxResponseSize = DataSize.ofKilobytes(64);

    public @Nullable String getPath() {
        return path;
    }

    public void setPath(@Nullable String path) {
        this.path = path;
    }

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public Set<String> getMethods() {
        return methods;
    }

    public void setMethods(Set<String> methods) {
        this.methods = methods;
    }

    public boolean isRequired() {
        return required;
    }

    public void setRequired(boolean required) {
        this.required = required;
    }

    public @Nullable String getConsumer() {
        return consumer;
    }

    public void setConsumer(@Nullable String consumer) {
        this.consumer = consumer;
    }

    public @Nullable String getTopic() {
        return topic;
    }

    public void setTopic(@Nullable String topic) {
        this.topic = topic;
    }

    public boolean isSameEffectAsListeners() {
        return sameEffectAsListeners;
    }

    public void setSameEffectAsListeners(boolean sameEffectAsListeners) {
        this.sameEffectAsListeners = sameEffectAsListeners;
    }

    public @Nullable String getScopeBy() {
        return scopeBy;
    }

    public void setScopeBy(@Nullable String scopeBy) {
        this.scopeBy = scopeBy;
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

    public Duration getInFlightWait() {
        return inFlightWait;
    }

    public void setInFlightWait(Duration inFlightWait) {
        this.inFlightWait = inFlightWait;
    }

    public @Nullable OnStoreFailure getOnStoreFailure() {
        return onStoreFailure;
    }

    public void setOnStoreFailure(@Nullable OnStoreFailure onStoreFailure) {
        this.onStoreFailure = onStoreFailure;
    }

    public OnClientError getOnClientError() {
        return onClientError;
    }

    public void setOnClientError(OnClientError onClientError) {
        this.onClientError = onClientError;
    }

    public boolean isFingerprint() {
        return fingerprint;
    }

    public void setFingerprint(boolean fingerprint) {
        this.fingerprint = fingerprint;
    }

    public DataSize getMaxRequestSize() {
        return maxRequestSize;
    }

    public void setMaxRequestSize(DataSize maxRequestSize) {
        this.maxRequestSize = maxRequestSize;
    }

    public DataSize getMaxResponseSize() {
        return maxResponseSize;
    }

    public void setMaxResponseSize(DataSize maxResponseSize) {
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
