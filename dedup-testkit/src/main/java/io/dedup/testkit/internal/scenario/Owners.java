package io.dedup.testkit.internal.scenario;

import io.dedup.store.Owner;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Owners and names that nobody has had before. */
public final class Owners {
    private Owners() {}

    public static Owner next() {
        return new Owner(name());
    }

    /** Random without a lock that would make racing threads queue up. */
    public static String name() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }
}
