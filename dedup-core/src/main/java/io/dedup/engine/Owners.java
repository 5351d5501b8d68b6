package io.dedup.engine;

import io.dedup.store.Owner;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/** Makes owners: a random part of this instance, and a number within it. Two claims never get the same one. */
final class Owners {
    private static final int RANDOM_BYTES = 12;
    private static final int RADIX = 36;

    private final AtomicLong next = new AtomicLong();
    private final String instance;

    Owners() {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        instance = Base64.getUrlEncoder().withoutPadding().encodeToString(random) + ".";
    }

    Owner next() {
        return new Owner(instance + Long.toString(next.getAndIncrement(), RADIX));
    }
}
