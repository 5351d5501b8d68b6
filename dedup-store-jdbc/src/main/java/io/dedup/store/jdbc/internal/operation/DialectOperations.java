package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** The operations on lists of requests. */
record DialectOperations(
        Operation<ClaimRequest, ClaimResult> claim,
        Operation<CompleteRequest, WriteResult> complete,
        Operation<ReleaseRequest, WriteResult> release,
        Operation<RenewRequest, WriteResult> renew,
        Operation<StepRequest, WriteResult> keepSteps,
        Operation<ImportRequest, ImportResult> importDone) {

    static DialectOperations of(Dialect dialect) {
        return new DialectOperations(
                new Operation<>(
                        "claim",
                        ClaimRequest::key,
                        request -> StatementSize.ofRequest(request.key(), null),
                        dialect::claim,
                        ClaimResult.StoreError::new),
                writing(
                        "complete",
                        request -> request.claim().key(),
                        request -> StatementSize.ofRequest(request.claim().key(), request.result()),
                        dialect::complete),
                writing("release", (ReleaseRequest request) -> request.claim().key(), dialect::release),
                writing("renew", (RenewRequest request) -> request.claim().key(), dialect::renewUnlocked),
                writing(
                        "step",
                        request -> request.claim().key(),
                        request -> StatementSize.ofRequest(request.claim().key(), request.entry()),
                        dialect::keepSteps),
                new Operation<>(
                        "import",
                        ImportRequest::key,
                        request -> StatementSize.ofRequest(request.key(), request.result()),
                        dialect::importDone,
                        ImportResult.StoreError::new,
                        ImportResult.Decision.HELD));
    }

    private static <Q> Operation<Q, WriteResult> writing(
            String name, Function<Q, DedupKey> key, Operation.Call<Q, WriteResult> call) {
        return writing(name, key, request -> StatementSize.ofRequest(key.apply(request), null), call);
    }

    private static <Q> Operation<Q, WriteResult> writing(
            String name, Function<Q, DedupKey> key, ToIntFunction<Q> size, Operation.Call<Q, WriteResult> call) {
        return new Operation<>(name, key, size, call, WriteResult.StoreError::new);
    }
}
