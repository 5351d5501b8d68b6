package io.dedup.spring.boot.internal.actuator;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.ServingDeduplicator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Deletes everything that the stores know of a message ID, for privacy requests. An endpoint of its own, because its rights are, and
 * because a path without a scope must not be mistaken for one. Not available unless
 * {@code management.endpoint.deduperasure.access} is {@code unrestricted}. Thread-safe.
 */
@Endpoint(id = "deduperasure", defaultAccess = Access.NONE)
public final class DedupErasureEndpoint {
    private static final Logger log = LoggerFactory.getLogger("io.dedup");

    private final DeduplicatorRegistry registry;

    public DedupErasureEndpoint(DeduplicatorRegistry registry) {
        this.registry = registry;
    }

    /**
     * What came of it.
     *
     * @param erased how many records were deleted
     * @param complete whether none was kept
     * @param liveScopes where a handler may be running: their records were kept; repeat the request
     */
    record ErasureView(long erased, boolean complete, List<String> liveScopes) {}

    /**
     * Erases an ID in the scopes of all consumers and topics, also of those that other applications keep in the same stores.
     *
     * @param id as {@link OperatorKeys} reads it
     */
    @DeleteOperation
    public ErasureView erase(@Selector String id) {
        String rawId = OperatorKeys.rawId(id);
        String problem = DedupKey.problemWith(rawId);
        if (problem != null) {
            throw new InvalidEndpointRequestException("The message ID cannot be erased: " + problem, problem);
        }
        Erasure all = new Erasure(0, List.of());
        // Each has successes of its own that aren't stored yet.
        for (ServingDeduplicator serving : registry.deduplicators()) {
            try {
                all = all.plus(serving.deduplicator().erase(rawId, LiveLease.RESPECT));
            } catch (UnsupportedOperationException e) {
                String reason = String.valueOf(e.getMessage());
                throw new InvalidEndpointRequestException(reason, reason);
            }
        }
        log.info(
                "Operator: erase a message ID: {} records, {} kept",
                all.erased(),
                all.liveScopes().size());
        return new ErasureView(all.erased(), all.isComplete(), all.liveScopes());
    }
}
