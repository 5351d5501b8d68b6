package io.dedup.ledger.scheme;

/** Every delivery takes effect. */
public final class NoDedup implements Scheme {
    @Override
    public void handle(String id, Runnable effect) {
        effect.run();
    }
}
