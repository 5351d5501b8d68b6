package io.dedup.testkit;

import io.dedup.store.Owner;
import java.util.UUID;

/** Owners that nobody has had before. */
final class Owners {
    private Owners() {}

    static Owner next() {
        return new Owner(UUID.randomUUID().toString());
    }
}
