package io.dedup.testkit.internal.scenario;

import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;

/** A claim that was acquired, and the answer that says so. */
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
