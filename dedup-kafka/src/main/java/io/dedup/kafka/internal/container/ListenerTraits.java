package io.dedup.kafka.internal.container;

/**
 * What is known about a listener when its container is decorated.
 *
 * @param declaredLater whether a handler method's return type announces work that ends later, such as a future
 * @param endsLater whether records may be unfinished when the listener returns
 * @param claimsAhead whether the records of a poll are claimed together, before their turns
 */
record ListenerTraits(boolean declaredLater, boolean endsLater, boolean claimsAhead) {}
