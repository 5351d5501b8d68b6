package io.dedup;

import io.dedup.engine.Admission;
import io.dedup.internal.SafeListeners;
import io.dedup.internal.SafeLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what the engine says into what a caller is told, and results into bytes and back. */
final class Outcomes {
    private static final Logger log = LoggerFactory.getLogger(Deduplicator.class);

    private final SafeListeners<DedupListener> listeners;

    Outcomes(SafeListeners<DedupListener> listeners) {
        this.listeners = listeners;
    }

    /** The outcome of an admission that doesn't run. */
    <R extends @Nullable Object> DedupOutcome<R> notRun(Admission admission, DedupCall<R> call) {
        if (admission instanceof Admission.Duplicate duplicate) {
            return new DedupOutcome.Duplicate<>(
                    duplicate.done().completedAt(),
                    decode(call, duplicate.done().result()));
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
        throw new IllegalStateException("runs, or follows one that runs: " + admission);
    }

    /** The result as bytes, or null when it isn't to be kept or can't be. Never throws: the effect has happened. */
    <R extends @Nullable Object> byte @Nullable [] encode(DedupCall<R> call, int maxBytes, R result) {
        ResultCodec<R> codec = call.codec();
        if (codec == null || result == null) {
            return null;
        }
        int size = -1;
        try {
            byte[] bytes = codec.encode(result);
            if (bytes.length <= maxBytes) {
                return bytes;
            }
            size = bytes.length;
        } catch (Throwable e) {
            SafeLog.warn(log, "The result of {} can't be encoded and isn't kept for duplicates", call.key(), e);
        }
        int bytes = size;
        listeners.tell(listener -> listener.resultNotKept(call.key(), bytes));
        return null;
    }

    private static <R extends @Nullable Object> @Nullable R decode(DedupCall<R> call, byte @Nullable [] bytes) {
        ResultCodec<R> codec = call.codec();
        if (codec == null || bytes == null) {
            return null;
        }
        try {
            return codec.decode(bytes);
        } catch (Throwable e) {
            SafeLog.warn(log, "The stored result of {} can't be decoded; its duplicate gets none", call.key(), e);
            return null;
        }
    }
}
