package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The operations that have a batch form. */
record Operations(
        Operation<ClaimRequest, ClaimResult> claim,
        Operation<CompleteRequest, WriteResult> complete,
        Operation<ReleaseRequest, WriteResult> release,
        Operation<RenewRequest, WriteResult> renew,
        Operation<RenewRequest, WriteResult> renewUnlocked) {

    static Operations of(Dialect dialect) {
        return new Operations(
                new Operation<>(
                        "claim",
                        ClaimRequest::key,
                        request -> 0,
                        dialect::claim,
                        ClaimResult.StoreError::new,
                        answer -> answer instanceof ClaimResult.StoreError error ? error.cause() : null),
                writing(
                        "complete",
                        request -> request.claim().key(),
                        request -> request.result() == null ? 0 : request.result().length,
                        dialect::complete),
                writing("release", (ReleaseRequest request) -> request.claim().key(), request -> 0, dialect::release),
                writing("renew", (RenewRequest request) -> request.claim().key(), request -> 0, dialect::renew),
                writing(
                        "renew",
                        (RenewRequest request) -> request.claim().key(),
                        request -> 0,
                        dialect::renewUnlocked));
    }

    private static <Q> Operation<Q, WriteResult> writing(
            String name, Function<Q, DedupKey> key, ToIntFunction<Q> size, Operation.Call<Q, WriteResult> call) {
        return new Operation<>(
                name,
                key,
                size,
                call,
                WriteResult.StoreError::new,
                answer -> answer instanceof WriteResult.StoreError error ? error.cause() : null);
    }
}
