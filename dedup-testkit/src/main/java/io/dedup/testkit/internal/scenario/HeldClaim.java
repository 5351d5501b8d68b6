package io.dedup.testkit.internal.scenario;

import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;

/** An acquired claim and the store's answer. */
public record HeldClaim(Claim claim, ClaimResult.Acquired answer) {
    public Owner owner() {
        return claim.owner();
    }

    public int attempt() {
        return answer.attempt();
    }

    public int deaths() {
        return answer.deaths();
    }

    public boolean tookOver() {
        return answer.tookOver();
    }

    public long token() {
        return answer.fencingToken();
    }
}
