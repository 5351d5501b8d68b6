package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The operations that have a batch form. */
public record Operations(
        Operation<ClaimRequest, ClaimResult> claim,
        Operation<CompleteRequest, WriteResult> complete,
        Operation<ReleaseRequest, WriteResult> release,
        Operation<RenewRequest, WriteResult> renew,
        Operation<RenewRequest, WriteResult> renewUnlocked) {
    /** Of a request beside its key and its result: owner, fingerprint, and the text between them. */
    private static final int REQUEST_BYTES = 160;

    public static Operations of(Dialect dialect) {
        return new Operations(
                new Operation<>(
                        "claim",
                        ClaimRequest::key,
                        request -> size(request.key(), null),
                        dialect::claim,
                        ClaimResult.StoreError::new,
                        answer -> answer instanceof ClaimResult.StoreError error ? error.cause() : null),
                writing(
                        "complete",
                        request -> request.claim().key(),
                        request -> size(request.claim().key(), request.result()),
                        dialect::complete),
                writing("release", (ReleaseRequest request) -> request.claim().key(), dialect::release),
                writing("renew", (RenewRequest request) -> request.claim().key(), dialect::renew),
                writing("renew", (RenewRequest request) -> request.claim().key(), dialect::renewUnlocked));
    }

    private static <Q> Operation<Q, WriteResult> writing(
            String name, Function<Q, DedupKey> key, Operation.Call<Q, WriteResult> call) {
        return writing(name, key, request -> size(key.apply(request), null), call);
    }

    /** What a request adds to a statement, in bytes: characters count as one, though some take up to three. */
    public static int size(DedupKey key, byte @Nullable [] result) {
        return key.messageId().length()
                + key.scope().text().length()
                + REQUEST_BYTES
                + (result == null ? 0 : result.length);
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
