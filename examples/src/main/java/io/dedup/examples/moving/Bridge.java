package io.dedup.examples.moving;

import io.dedup.DedupHandler;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.examples.moving.OldScheme.Entry;
import java.time.Duration;

// docs:begin bridge
/** Handles messages beside consumers of the old scheme, whose entries decide until the last of these consumers has stopped. */
public final class Bridge {
    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Deduplicator dedup;
    private final OldScheme old;

    public Bridge(Deduplicator dedup, OldScheme old) {
        this.dedup = dedup;
        this.old = old;
    }

    /**
     * Handles a message in mode LEASED.
     *
     * @return false if it has to be delivered again
     */
    public boolean handle(String topic, String id, Runnable effect) {
        // Before dedup claims, so that it does not record as done what an old consumer may still be handling.
        Entry entry = old.claim(id);
        while (entry == Entry.RUNNING) {
            pause();
            entry = old.claim(id);
        }
        if (entry == Entry.KNOWN) {
            return true;
        }
        DedupHandler<Boolean, RuntimeException> handler = context -> {
            try {
                effect.run();
            } catch (RuntimeException | Error e) {
                old.failed(id);
                throw e;
            }
            old.done(id);
            return true;
        };
        DedupOutcome<Boolean> outcome = dedup.execute(dedup.key(topic, id), handler);
        if (outcome instanceof DedupOutcome.Duplicate) {
            old.done(id);
        } else if (outcome instanceof DedupOutcome.Deferred) {
            if (entry == Entry.NEW) {
                old.failed(id); // a new consumer without the bridge is handling the message
            }
            return false;
        }
        return true;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while an old consumer handles the message", e);
        }
    }
}
// docs:end
