package io.dedup.store.redis.internal.connection;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** An exception and what caused it. */
public final class Causes {
    /** Nothing forbids causes that form a circle. */
    private static final int MOST = 100;

    private Causes() {}

    /** From the exception itself to the innermost cause. */
    public static List<Throwable> of(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .limit(MOST)
                .toList();
    }
}
