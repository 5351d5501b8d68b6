package io.dedup.kafka.internal.container;

/**
 * What is known of a listener when its container is decorated.
 *
 * @param declaredLater whether a handler method is declared to return what is done later
 * @param endsLater whether records may be unfinished when the listener returns
 * @param claimsAhead whether the records of a poll are claimed together, before their turns
 */
record ListenerTraits(boolean declaredLater, boolean endsLater, boolean claimsAhead) {}
