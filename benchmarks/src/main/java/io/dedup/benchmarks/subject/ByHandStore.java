package io.dedup.benchmarks.subject;

import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * What an expert writes for one service and one store: an owner, a lease that others take over when it has ended, and a window.
 * It renews no lease, compares no payloads and keeps no results. The usual form counts no attempts and has no fencing token;
 * {@link ContenderNames#BY_HAND_FENCED} does. Thread-safe.
 *
 * <p>Owners are unique for each call: a process must not take another claim of its own for the one that it asks for.
 */
public interface ByHandStore extends AutoCloseable {
    /** What a claim finds. */
    enum State {
        MINE,
        DONE,
        /** To be tried again later: acknowledging it would lose the message if the other run fails. */
        IN_FLIGHT
    }

    State claim(String id, String owner);

    /** @throws IllegalStateException if the claim is lost */
    void complete(String id, String owner);

    /** With one owner for all; by ID. */
    Map<String, State> claimAll(Collection<String> ids, String owner);

    /** @throws IllegalStateException if one of the claims is lost */
    void completeAll(List<String> ids, String owner);

    @Override
    void close();
}
