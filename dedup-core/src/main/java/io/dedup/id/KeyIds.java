package io.dedup.id;

import io.dedup.text.Printable;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Finds the ID among a message's keys, for brokers whose messages carry several. What is ambiguous counts as a missing ID.
 * Thread-safe as the functions that it is given.
 */
public final class KeyIds {
    private KeyIds() {}

    /** The message's only key. Missing when there is none or more than one. */
    public static <M> MessageIdExtractor<M> only(Function<? super M, ? extends Collection<String>> keys) {
        return MessageIdExtractor.named("key", message -> {
            Collection<String> all = keys.apply(message);
            if (all.size() > 1) {
                throw new IllegalArgumentException("the message has " + all.size()
                        + " keys, and only one could be its ID; use keyStartingWith(prefix) or a property");
            }
            return all.isEmpty() ? null : all.iterator().next();
        });
    }

    /**
     * The only key that begins with a prefix, prefix included. Missing when there is none or more than one.
     *
     * @throws IllegalArgumentException when the prefix is empty
     */
    public static <M> MessageIdExtractor<M> startingWith(
            String prefix, Function<? super M, ? extends Collection<String>> keys) {
        if (prefix.isEmpty()) {
            throw new IllegalArgumentException("keyStartingWith: the prefix must not be empty; use key()");
        }
        return MessageIdExtractor.named("key that begins with " + Printable.of(prefix), message -> {
            List<String> found = keys.apply(message).stream()
                    .filter(key -> key.startsWith(prefix))
                    .distinct()
                    .toList();
            if (found.size() > 1) {
                throw new IllegalArgumentException("the message has several keys that start with " + prefix);
            }
            return found.isEmpty() ? null : found.get(0);
        });
    }
}
