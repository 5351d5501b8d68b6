package io.dedup.ledger.scheme;

/** A way to make a handler idempotent. Used by one consumer thread at a time. */
@FunctionalInterface
public interface Scheme extends AutoCloseable {
    /**
     * Takes one delivery. Returning acknowledges it, an exception makes the broker deliver it again.
     *
     * @param id the message's business ID
     * @param effect has to happen once; it may fail. If it is a row in the scheme's database, it joins the
     *     transaction of the calling thread.
     */
    void handle(String id, Runnable effect) throws Exception;

    @Override
    default void close() {}
}
