package io.dedup.internal.listener;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Logs each skipped duplicate at DEBUG, for tracing a message that seems to be missing. Thread-safe. */
public final class DuplicateLog implements DedupListener {
    private final Logger log;

    public DuplicateLog(Logger log) {
        this.log = log;
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        if (firstRun == null) {
            log.debug("Skipped a duplicate: message ID {} was handled at {}", key, completedAt);
        } else {
            log.debug("Skipped a duplicate: message ID {} was handled at {}, by run {}", key, completedAt, firstRun);
        }
    }

    @Override
    public void copyInBatch(DedupKey key) {
        log.debug("Skipped a duplicate: the first message with ID {} is in the same batch", key);
    }

    @Override
    public void explained(DedupKey key, DuplicateDetails details) {
        if (details.cause() != DuplicateCause.UNKNOWN) {
            log.debug(
                    "The duplicate with message ID {} is {}: first at {}, again at {}",
                    key,
                    details.cause().tag(),
                    details.first(),
                    details.copy());
        }
    }
}
