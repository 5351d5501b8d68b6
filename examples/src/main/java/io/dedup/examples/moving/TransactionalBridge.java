package io.dedup.examples.moving;

import io.dedup.examples.moving.OldScheme.Entry;

// docs:begin transactional-bridge
/** For a handler in mode TRANSACTIONAL, if old consumers insert their entry in the transaction of the effect. */
public final class TransactionalBridge {
    private final OldScheme old;

    public TransactionalBridge(OldScheme old) {
        this.old = old;
    }

    /** Call it in the handler: the entry, the effect and dedup's record commit together. */
    public void handle(String id, Runnable effect) {
        if (old.claim(id) == Entry.NEW) {
            effect.run();
        }
    }
}
// docs:end
