package io.dedup.testkit;

import io.dedup.store.Claim;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;

/** A claim that was acquired, and the answer that says so. */
record Held(Claim claim, ClaimResult.Acquired answer) {
    Owner owner() {
        return claim.owner();
    }

    int attempt() {
        return answer.attempt();
    }

    int deaths() {
        return answer.deaths();
    }

    boolean tookOver() {
        return answer.tookOver();
    }

    long token() {
        return answer.fencingToken();
    }
}
