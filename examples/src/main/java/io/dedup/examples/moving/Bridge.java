package io.dedup.examples.moving;

import io.dedup.DedupHandler;
import io.dedup.Deduplicator;
import io.dedup.examples.moving.OldScheme.Entry;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

// docs:begin bridge
/** Handles messages beside consumers of the old scheme, whose entries decide until the last of these consumers has stopped. */
public final class Bridge {
    private static final Logger log = LoggerFactory.getLogger(Bridge.class);
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
                tell(old::failed, id);
                throw e;
            }
            tell(old::done, id);
            return true;
        };
        try {
            return dedup.execute(dedup.key(topic, id), handler).mayAck();
        } catch (KnownToOldScheme e) {
            return true;
        }
    }

    /** If the old scheme's store fails, what the effect did decides all the same. */
    private static void tell(Consumer<String> change, String id) {
        try {
            change.accept(id);
        } catch (RuntimeException e) {
            log.warn("The old scheme's entry of a message stays as it is", e);
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
