package io.dedup.testkit.internal.scenario;

import io.dedup.store.Owner;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Unique owners and names. */
public final class UniqueNames {
    private UniqueNames() {}

    /** The owner of a claim that is made alone, so that its death counts. */
    public static Owner owner() {
        return new Owner(next() + Owner.ALONE_END);
    }

    /** The owner of a claim that is made with others or ahead, so that its death doesn't count. */
    public static Owner ownerNotAlone() {
        return new Owner(next());
    }

    /** Random without a lock that would make racing threads queue up. */
    public static String next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }
}
