package io.dedup.id;

import io.dedup.text.Printable;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Finds the ID among a message's keys, for brokers whose messages carry several keys. An ambiguous ID counts as
 * missing. As thread-safe as the functions passed in.
 */
public final class KeyIds {
    private KeyIds() {}

    /** Returns an extractor of the message's only key. The ID is missing if there is no key or more than one. */
    public static <M> MessageIdExtractor<M> only(Function<? super M, ? extends Collection<String>> keys) {
        return MessageIdExtractor.named("key", message -> {
            Collection<String> all = keys.apply(message);
            if (all.size() > 1) {
                throw new UnusableIdException("it has " + all.size()
                        + " keys, so its message ID is ambiguous; use keyStartingWith(prefix) or a property");
            }
            return all.isEmpty() ? null : all.iterator().next();
        });
    }

    /**
     * Returns an extractor of the only key that begins with a prefix; the prefix is part of the ID. The ID is missing
     * if there is no such key or more than one.
     *
     * @throws IllegalArgumentException if the prefix is empty
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
                throw new UnusableIdException("it has several keys that begin with " + Printable.of(prefix)
                        + ", so its message ID is ambiguous");
            }
            return found.isEmpty() ? null : found.get(0);
        });
    }
}
