package io.dedup.privacy;

import java.util.List;
import java.util.stream.Stream;

/**
 * What the erasure of a message ID has done.
 *
 * @param erased the number of deleted records
 * @param liveScopes the scopes in which a handler may be running, as stores keep them ({@code DedupScope.text()}): their
 *     records were kept. Repeat the erasure when the handlers have ended
 */
public record Erasure(long erased, List<String> liveScopes) {
    public Erasure {
        liveScopes = List.copyOf(liveScopes);
    }

    /** Whether no record was kept. */
    public boolean isComplete() {
        return liveScopes.isEmpty();
    }

    /** The sum of two erasures. */
    public Erasure plus(Erasure other) {
        List<String> scopes = Stream.concat(liveScopes.stream(), other.liveScopes.stream())
                .distinct()
                .toList();
        return new Erasure(erased + other.erased, scopes);
    }
}
