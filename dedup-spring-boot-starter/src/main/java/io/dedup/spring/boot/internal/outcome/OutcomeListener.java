package io.dedup.spring.boot.internal.outcome;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.policy.OnConflict;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Names the outcome of each message. Outcomes in a dead-letter handler have names of their own: a message that failed every time doesn't
 * count as handled because its dead letter was handled. Thread-safe.
 */
public abstract class OutcomeListener implements DedupListener {
    /** Counts an outcome: the message is finished, or will be tried again. */
    protected abstract void count(String topic, String outcome);

    private void count(DedupKey key, String outcome) {
        count(key.scope(), outcome);
    }

    private void count(DedupScope scope, String outcome) {
        count(scope.topic(), scope.isDeadLetter() ? "dead_letter_" + outcome : outcome);
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        count(key, "handled");
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        count(key, "duplicate");
    }

    @Override
    public void copyInBatch(DedupKey key) {
        count(key, "copy_in_batch");
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        String outcome = "deferred_" + reason.name().toLowerCase(Locale.ROOT);
        if (key == null) {
            count("", outcome);
        } else {
            count(key, outcome);
        }
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        count(topic.scope(), "missing_id");
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        count(key, "conflict");
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        count(key, "poison");
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        count(topic.scope(), "unguarded");
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        count(key, cause == null ? "given_back" : "failed");
    }

    @Override
    public void shadow(DedupKey key, String wouldBe) {
        count(key, "shadow_" + wouldBe.replace(' ', '_'));
    }
}
