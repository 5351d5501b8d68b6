package io.dedup.spring.boot;

import io.dedup.policy.DedupMode;
import io.dedup.policy.OnConflict;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.TransactionSpan;
import io.dedup.policy.Window;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Settings for all topics, one topic or one listener. Null means: use the more general setting. Not thread-safe. */
public class PolicyProperties {
    /** Whether the listeners concerned are deduplicated; true by default. */
    private @Nullable Boolean enabled;

    /** Where the message ID is: header:order-id, key, json:/payment/id, cloudevent, coordinates, spel:…, bean:…, property:… or keys. Join several with ' + '. */
    private @Nullable String id;

    /** How long an ID is remembered after its message completed: a duration such as 30d, or forever. 7d by default, which is how long Kafka retains a topic by default. A change applies only to messages that complete from then on. */
    private @Nullable Window window;

    /** Whether the record is written on its own (leased) or in the same transaction as the effect. leased by default; tiered with dedup.store=tiered. Mode transactional keeps its records in the table of dedup.jdbc whatever dedup.store is. A change forgets windows if the records are then in another place. */
    private @Nullable DedupMode mode;

    /** How long a claim stays valid without being renewed. After a crash, the message waits this long before it can run again. 30s by default. */
    private @Nullable Duration lease;

    /** How long a handler may run: its lease is renewed for this long, and in the transactional modes its transaction times out after it. 5m by default. */
    private @Nullable Duration maxProcessingTime;

    /** How long a duplicate of a message in flight waits in place before it is deferred; 2s by default. */
    private @Nullable Duration inFlightWait;

    /** The longest delay before a deferred message is delivered again; 1s by default. */
    private @Nullable Duration maxDeferDelay;

    /** What happens to messages while the store doesn't answer: they are deferred (retry), the consumer pauses (pause), or they run without deduplication (process). retry by default. */
    private @Nullable OnStoreFailure onStoreFailure;

    /** What happens to a message without a usable ID: it is rejected (fail), runs without deduplication (process), or is acknowledged without being handled (skip). fail by default. */
    private @Nullable OnMissingId onMissingId;

    /** From how many messages without a usable ID on, if no message of the topic has had one since the start, they are deferred instead of rejected, because the setting id is probably wrong. 10 by default, 0 means never. Needs on-missing-id: fail. */
    private @Nullable Integer missingIdLimit;

    /** What happens to a message whose ID was already used with a different payload: it is rejected (fail), acknowledged without being handled (skip), or runs without deduplication (process). Needs fingerprint. fail by default. */
    private @Nullable OnConflict onConflict;

    /** How many runs of a message of its own may end with an expired lease, as in a crash, before the message is rejected as poison. 0, the default, means no limit. Claims made ahead or in a batch don't count: after a crash their messages run one by one. Set at least 2 if a process has several consumer threads. */
    private @Nullable Integer maxDeaths;

    /** What one transaction of mode transactional spans for listeners of single Kafka records: one record, or several of a poll, which then share one commit. If a handler fails, those before it run again. record by default. */
    private @Nullable TransactionSpan transaction;

    /** How many records a transaction may span with transaction: poll. From 2 to 10000; 100 by default. */
    private @Nullable Integer transactionMaxRecords;

    /** How long a transaction with transaction: poll calls further handlers before it commits what was handled. From 10ms to 10m, and shorter than max-processing-time; 1s by default. */
    private @Nullable Duration transactionMaxTime;

    /** Whether to detect different payloads with the same ID, see on-conflict; false by default. */
    private @Nullable Boolean fingerprint;

    /** Whether handlers receive a fencing token; true by default. */
    private @Nullable Boolean fencingToken;

    /** Whether to check at start that handlers can use steps, which need mode leased and a store that keeps them. false by default: then the first step fails where they cannot be used. */
    private @Nullable Boolean steps;

    /** Whether each record keeps where its message was handled first, so that duplicates have a cause: redelivered, resent or replayed. Takes about 20 bytes with each record, and in packed Redis records more. false by default. */
    private @Nullable Boolean explainDuplicates;

    /** Whether to only observe: every message is handled, and the outcome that deduplication would have had is counted. false by default. */
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

    public @Nullable TransactionSpan getTransaction() {
        return transaction;
    }

    public void setTransaction(@Nullable TransactionSpan transaction) {
        this.transaction = transaction;
    }

    public @Nullable Integer getTransactionMaxRecords() {
        return transactionMaxRecords;
    }

    public void setTransactionMaxRecords(@Nullable Integer transactionMaxRecords) {
        this.transactionMaxRecords = transactionMaxRecords;
    }

    public @Nullable Duration getTransactionMaxTime() {
        return transactionMaxTime;
    }

    public void setTransactionMaxTime(@Nullable Duration transactionMaxTime) {
        this.transactionMaxTime = transactionMaxTime;
    }

    public @Nullable Integer getMissingIdLimit() {
        return missingIdLimit;
    }

    public void setMissingIdLimit(@Nullable Integer missingIdLimit) {
        this.missingIdLimit = missingIdLimit;
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

    public @Nullable Boolean getSteps() {
        return steps;
    }

    public void setSteps(@Nullable Boolean steps) {
        this.steps = steps;
    }

    public @Nullable Boolean getExplainDuplicates() {
        return explainDuplicates;
    }

    public void setExplainDuplicates(@Nullable Boolean explainDuplicates) {
        this.explainDuplicates = explainDuplicates;
    }

    public @Nullable Boolean getShadow() {
        return shadow;
    }

    public void setShadow(@Nullable Boolean shadow) {
        this.shadow = shadow;
    }
}
