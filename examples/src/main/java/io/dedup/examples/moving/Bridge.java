package io.dedup.examples.moving;

import io.dedup.DedupHandler;
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
        // Under dedup's claim, so that no other bridge removes the entry between the look at it and the effect.
        DedupHandler<Boolean, KnownToOldScheme> handler = context -> {
            if (claim(id) == Entry.KNOWN) {
                throw new KnownToOldScheme();
            }
            try {
                effect.run();
            } catch (RuntimeException | Error e) {
                old.failed(id);
                throw e;
            }
            old.done(id);
            return true;
        };
        try {
            return dedup.execute(dedup.key(topic, id), handler).mayAck();
        } catch (KnownToOldScheme e) {
            return true;
        }
    }

    private Entry claim(String id) {
        Entry entry = old.claim(id);
        while (entry == Entry.RUNNING) {
            pause();
            entry = old.claim(id);
        }
        return entry;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while an old consumer handles the message", e);
        }
    }

    /** Thrown so that dedup does not record as done what an old consumer may still be handling. */
    private static final class KnownToOldScheme extends Exception {
        private static final long serialVersionUID = 1;
    }
}
// docs:end
