package io.dedup.internal.lease;

import io.dedup.store.Owner;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Creates owners: the instance's name for readers, a random part for this engine, a number within it (decimal, because
 * another radix allocates more), and whether the claim is made alone. No two claims of a key get the same owner, whatever the instances are called.
 */
public final class Owners {
    private static final int RANDOM_BYTES = 12;

    private final AtomicLong next = new AtomicLong();
    private final String prefix;

    public Owners(@Nullable String instance) {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        String unique = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(random); // its length is fixed: nothing needs to part it from the number
        prefix = instance == null ? unique : readable(instance) + Owner.INSTANCE_END + unique;
    }

    /** The owner of one claim, made at its message's turn. */
    public Owner alone() {
        return new Owner(prefix + next.getAndIncrement() + Owner.ALONE_END);
    }

    /** The owner of claims that are made together, before their messages' turns, or for no run at all. */
    public Owner notAlone() {
        return new Owner(prefix + next.getAndIncrement());
    }

    /** Shortens a name in the middle, because pod names differ at their end and host names at their start. */
    private static String readable(String instance) {
        String clean = instance.replaceAll("[^A-Za-z0-9._:@-]", "_");
        int max = Owner.MAX_INSTANCE_CHARS;
        if (clean.length() <= max) {
            return clean;
        }
        int head = max / 2 - 2;
        return clean.substring(0, head) + ".." + clean.substring(clean.length() - (max - head - 2));
    }
}
