package io.dedup.store.jdbc.internal.lookalike;

import org.jspecify.annotations.Nullable;

/**
 * What is behind a connection.
 *
 * @param name as the server calls itself
 * @param refusal why the store cannot work with it; null if nothing is known against it
 * @param tested whether the store's tests run on it, so that its behavior needn't be asked for
 */
public record ServerProduct(String name, @Nullable String refusal, boolean tested) {
    static ServerProduct tested(String name) {
        return new ServerProduct(name, null, true);
    }

    static ServerProduct asked(String name) {
        return new ServerProduct(name, null, false);
    }

    static ServerProduct refused(String name, String why) {
        return new ServerProduct(name, why, false);
    }
}
