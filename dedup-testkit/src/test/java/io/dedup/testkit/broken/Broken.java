package io.dedup.testkit.broken;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** The usual ways to break a claim. */
final class Broken {
    private Broken() {}

    static UnaryOperator<DedupStore> claims(UnaryOperator<ClaimRequest> change) {
        return s -> new ForwardingStore(s) {
            @Override
            ClaimResult claim(ClaimRequest request) {
                return super.claim(change.apply(request));
            }
        };
    }

    static UnaryOperator<DedupStore> acquired(UnaryOperator<ClaimResult.Acquired> change) {
        return answers(answer -> answer instanceof ClaimResult.Acquired acquired ? change.apply(acquired) : answer);
    }

    static UnaryOperator<DedupStore> answers(UnaryOperator<ClaimResult> change) {
        return s -> new ForwardingStore(s) {
            @Override
            ClaimResult claim(ClaimRequest request) {
                return change.apply(super.claim(request));
            }
        };
    }

    static ClaimRequest withNewOwner(ClaimRequest request) {
        return new ClaimRequest(
                request.key(),
                new Owner(UUID.randomUUID().toString()),
                request.lease(),
                request.fingerprint(),
                request.fenced());
    }
}
