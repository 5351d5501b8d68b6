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

    /** How many effects each of its messages has; they are told apart by {@link #effectId}. */
    default int effects() {
        return 1;
    }

    /** Whether a handler that fails repeats effects that it has had before. */
    default boolean repeatsOnFailure() {
        return false;
    }

    /** What one of a message's effects is counted under. */
    default String effectId(String messageId, int number) {
        return effects() == 1 ? messageId : messageId + "/" + number;
    }

    /** Whether its handlers can see by their attempt that the effect may have happened before. */
    default boolean showsAttempts() {
        return isOurs();
    }
}
