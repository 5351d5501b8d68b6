package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What may be set for all topics, a topic or a listener; null leaves it to the more general one. Not thread-safe. */
public class PolicyProperties {
    /** Whether listeners of it are deduplicated; true unless said otherwise. */
    private @Nullable Boolean enabled;

    /** Where the message ID is: header:order-id, key, json:/payment/id, cloudevent, coordinates, spel:…, bean:…, property:…, keys; several joined by ' + '. */
    private @Nullable String id;

    /** For how long after completion an ID is remembered: a duration such as 30d, or forever; 7d by default, which is how long Kafka retains a topic by default. Changing it isn't retroactive. */
    private @Nullable Window window;

    /** How the record is kept together with the effect; leased by default, tiered with dedup.store=tiered. With transactional the records are in the table of dedup.jdbc, whatever dedup.store is. Changing it keeps windows where the records stay in the same place. */
    private @Nullable DedupMode mode;

    /** How long a claim holds without a heartbeat, and so how long a crashed message waits; 30s by default. */
    private @Nullable Duration lease;

    /** For how long a handler's lease is renewed, and the time-out of its transaction in the transactional modes; 5m by default. */
    private @Nullable Duration maxProcessingTime;

    /** How long a duplicate of a running message waits in place before it is deferred; 2s by default. */
    private @Nullable Duration inFlightWait;

    /** The longest that the broker is asked to hold a deferred message; 1s by default. */
    private @Nullable Duration maxDeferDelay;

    /** What happens while the store doesn't answer; retry by default. */
    private @Nullable OnStoreFailure onStoreFailure;

    /** What happens to a message without a usable ID; fail by default. */
    private @Nullable OnMissingId onMissingId;

    /** What happens to a message whose ID was seen with another payload; fail by default. */
    private @Nullable OnConflict onConflict;

    /** How many runs of a message may end with their lease running out before it is rejected as poison; 0, the default, for any number. */
    private @Nullable Integer maxDeaths;

    /** Whether payloads of one ID are compared; false by default. */
    private @Nullable Boolean fingerprint;

    /** Whether handlers get a fencing token; true by default. */
    private @Nullable Boolean fencingToken;

    /** Whether it is only watched: every message runs, and what would have happened is counted; false by default. */
    private @Nullable Boolean shadow;

    public @Nullable Boolean getEnabled() {
        return enabled;
    }

    public void setEnabled(@Nullable Boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getId() {
        return id;
    }

    public void setId(@Nullable String id) {
        this.id = id;
    }

    public @Nullable Window getWindow() {
        return window;
    }

    public void setWindow(@Nullable Window window) {
        this.window = window;
    }

    public @Nullable DedupMode getMode() {
        return mode;
    }

    public void setMode(@Nullable DedupMode mode) {
        this.mode = mode;
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

    public @Nullable Duration getMaxDeferDelay() {
        return maxDeferDelay;
    }

    public void setMaxDeferDelay(@Nullable Duration maxDeferDelay) {
        this.maxDeferDelay = maxDeferDelay;
    }

    public @Nullable OnStoreFailure getOnStoreFailure() {
        return onStoreFailure;
    }

    public void setOnStoreFailure(@Nullable OnStoreFailure onStoreFailure) {
        this.onStoreFailure = onStoreFailure;
    }

    public @Nullable OnMissingId getOnMissingId() {
        return onMissingId;
    }

    public void setOnMissingId(@Nullable OnMissingId onMissingId) {
        this.onMissingId = onMissingId;
    }

    public @Nullable OnConflict getOnConflict() {
        return onConflict;
    }

    public void setOnConflict(@Nullable OnConflict onConflict) {
        this.onConflict = onConflict;
    }

    public @Nullable Integer getMaxDeaths() {
        return maxDeaths;
    }

    public void setMaxDeaths(@Nullable Integer maxDeaths) {
        this.maxDeaths = maxDeaths;
    }

    public @Nullable Boolean getFingerprint() {
        return fingerprint;
    }

    public void setFingerprint(@Nullable Boolean fingerprint) {
        this.fingerprint = fingerprint;
    }

    public @Nullable Boolean getFencingToken() {
        return fencingToken;
    }

    public void setFencingToken(@Nullable Boolean fencingToken) {
        this.fencingToken = fencingToken;
    }

    public @Nullable Boolean getShadow() {
        return shadow;
    }

    public void setShadow(@Nullable Boolean shadow) {
        this.shadow = shadow;
    }
}
