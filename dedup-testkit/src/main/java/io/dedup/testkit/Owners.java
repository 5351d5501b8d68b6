package io.dedup.testkit;

import io.dedup.store.Owner;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** Owners and names that nobody has had before. */
final class Owners {
    private Owners() {}

    static Owner next() {
        return new Owner(name());
    }

    /** Random without a lock that would make racing threads queue up. */
    static String name() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }
}
