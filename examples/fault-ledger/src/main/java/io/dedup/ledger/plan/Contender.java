package io.dedup.ledger.plan;

/** Whose messages are counted: a row of a ledger, whatever its broker is. */
public interface Contender {
    /** As it is written in files and settings, and part of the names of what it uses. */
    String id();

    /** Its name for readers. */
    String title();

    /** Whether it is a mode of the framework, whose promises are checked. */
    boolean isOurs();

    /** Whether its promise is that nothing ever takes effect twice. */
    boolean isExact();

    /** Whether its records can be lost without its effects. */
    boolean forgets();

    /** Whether its handlers can see by their attempt that the effect may have happened before. */
    default boolean showsAttempts() {
        return isOurs();
    }
}
