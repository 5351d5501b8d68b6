package io.dedup.spring.boot.internal.plan;

import io.dedup.policy.DedupPolicy;
import io.dedup.spring.boot.internal.id.IdExpression;
import java.util.List;

/**
 * How messages of a topic are deduplicated for a listener.
 *
 * @param idProperty which property or annotation the ID expression is from
 */
public record TopicPlan(IdExpression id, String idProperty, DedupPolicy policy) {
    /** Whether both find the same IDs and treat their messages alike. */
    public boolean isLike(TopicPlan other) {
        return id.parts().equals(other.id.parts()) && values(policy).equals(values(other.policy));
    }

    /** Whether a message that is handled by one plan can be a duplicate for the other one. */
    boolean canShareRecords(TopicPlan other) {
        return policy.mode() == other.policy.mode()
                && policy.fingerprint() == other.policy.fingerprint()
                && policy.shadow() == other.policy.shadow();
    }

    private static List<Object> values(DedupPolicy policy) {
        return List.of(
                policy.mode(),
                policy.window(),
                policy.lease(),
                policy.maxProcessingTime(),
                policy.inFlightWait(),
                policy.maxDeferDelay(),
                policy.onStoreFailure(),
                policy.onMissingId(),
                policy.missingIdLimit(),
                policy.onConflict(),
                policy.maxDeaths(),
                policy.maxResultBytes(),
                policy.fingerprint(),
                policy.fencingToken(),
                policy.steps(),
                policy.explainDuplicates(),
                policy.shadow(),
                policy.transaction(),
                policy.transactionMaxRecords(),
                policy.transactionMaxTime());
    }
}
