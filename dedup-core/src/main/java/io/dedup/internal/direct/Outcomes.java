package io.dedup.internal.direct;

import io.dedup.DedupCall;
import io.dedup.DedupOutcome;
import io.dedup.ResultCodec;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Results;
import org.jspecify.annotations.Nullable;

/** Turns the engine's admissions into outcomes for the caller, and encodes and decodes results. */
final class Outcomes {
    private final Results results;

    Outcomes(Results results) {
        this.results = results;
    }

    /** The outcome of an admission that doesn't run. */
    public <R extends @Nullable Object> DedupOutcome<R> notRun(Admission admission, DedupCall<R> call) {
        if (admission instanceof Admission.Duplicate duplicate) {
            return new DedupOutcome.Duplicate<>(
                    duplicate.done().completedAt(),
                    decode(call, duplicate.done().result()),
                    duplicate.firstRun());
        }
        if (admission instanceof Admission.Ignore ignore) {
            return new DedupOutcome.Skipped<>(ignore.reason());
        }
        if (admission instanceof Admission.Defer defer) {
            return new DedupOutcome.Deferred<>(defer.reason(), defer.retryAfter(), defer.cause());
        }
        if (admission instanceof Admission.Reject reject) {
            return new DedupOutcome.Rejected<>(reject.cause());
        }
        throw new IllegalStateException("not an outcome without a run: " + admission);
    }

    /**
     * Encodes a result; null if it is not kept or cannot be encoded. Never throws, because the effect has already
     * happened.
     */
    public <R extends @Nullable Object> byte @Nullable [] encode(DedupCall<R> call, int maxBytes, R result) {
        ResultCodec<R> codec = call.codec();
        return codec == null || result == null ? null : results.encode(call.key(), codec, maxBytes, result);
    }

    private <R extends @Nullable Object> @Nullable R decode(DedupCall<R> call, byte @Nullable [] bytes) {
        ResultCodec<R> codec = call.codec();
        return codec == null || bytes == null ? null : results.decode(call.key(), codec, bytes);
    }
}
