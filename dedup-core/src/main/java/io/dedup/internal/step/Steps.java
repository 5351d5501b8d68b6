package io.dedup.internal.step;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupStoreException;
import io.dedup.ResultCodec;
import io.dedup.adapter.CallersTransaction;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.listener.SafeLog;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.privacy.ResultEncryption;
import io.dedup.step.KeptStep;
import io.dedup.step.KeptStep.Kind;
import io.dedup.step.StepCodec;
import io.dedup.step.StepLog;
import io.dedup.step.StepOutcome;
import io.dedup.step.StepResultException;
import io.dedup.store.Claim;
import io.dedup.store.DedupStore;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the steps of all runs share: the store, codecs, encryption and listeners. Thread-safe. */
public final class Steps {
    private static final Logger log = LoggerFactory.getLogger(Steps.class);

    private final DedupStore store;
    private final StoreCalls calls;
    private final SafeListeners<DedupListener> listeners;
    private final StepValues values;
    private final @Nullable ResultEncryption encryption;

    public Steps(
            DedupStore store,
            StoreCalls calls,
            SafeListeners<DedupListener> listeners,
            @Nullable StepCodec codec,
            @Nullable ResultEncryption encryption) {
        this.store = store;
        this.calls = calls;
        this.listeners = listeners;
        this.values = new StepValues(codec);
        this.encryption = encryption;
    }

    /** The steps of a run. */
    public RunSteps of(SteppedRun run, byte @Nullable [] kept) {
        return new RunSteps(this, run, kept);
    }

    /** Rejects a step that could not be kept, or whose effect a rollback could undo although it is kept. */
    void requireUsable(String name, SteppedRun run) {
        if (run.isTransactional()) {
            throw new UnsupportedOperationException("step " + name + " cannot run in mode "
                    + run.topic().policy().mode()
                    + ": a rollback would undo what the step wrote in the handler's transaction, and the next attempt would"
                    + " skip it. Call the service without step(...), with stepKey(...) as its idempotency key, or from an"
                    + " outbox; or use mode LEASED");
        }
        if (CallersTransaction.isOpen()) {
            throw new UnsupportedOperationException(
                    "step " + name + " cannot run in a transaction: a rollback would undo"
                            + " what the step wrote in it, and the next attempt would skip the step. Call step(...) outside of the"
                            + " transaction, and let the function open its own");
        }
        StepRecords unused = StepRecords.of(store);
    }

    /** How many bytes the steps of a message may have: what a store can keep as a result, it can also append to. */
    int maxBytes() {
        return Math.min(StepLog.MAX_BYTES, store.maxResultBytes());
    }

    <T> ResultCodec<T> codecOf(String step, Class<T> type) {
        return values.codecOf(step, type);
    }

    /**
     * Encodes the result of a step that has run. Never throws: a result that cannot be kept is left out, and the next attempt fails
     * at this step.
     *
     * @param codec null for a step without a result
     * @param room for all bytes of the step
     */
    <T> KeptStep encoded(
            DedupKey key, String name, @Nullable ResultCodec<T> codec, @Nullable T result, int maxBytes, int room) {
        Instant now = Instant.now(); // by the local clock: only reported
        if (codec == null || result == null) {
            return KeptStep.without(name, now, codec == null ? Kind.NONE : Kind.NULL, -1);
        }
        int size = -1;
        try {
            byte[] bytes = codec.encode(result);
            byte[] stored = encryption == null ? bytes : encryption.encrypt(boundTo(key, name), key.messageId(), bytes);
            size = stored.length;
            int most = Math.min(maxBytes, room - StepLog.MAX_EXTRA_BYTES);
            if (size <= most) {
                return KeptStep.of(name, now, stored);
            }
            leftOut(
                    key,
                    name,
                    new IllegalArgumentException("it is too large (" + size + " bytes, at most " + most
                            + "): raise maxResultBytes, or return less"));
        } catch (Throwable e) {
            leftOut(key, name, e);
        }
        return KeptStep.without(name, now, Kind.LEFT_OUT, size);
    }

    /**
     * The result of a kept step; null if it was null.
     *
     * @param codec null for a step without a result
     * @throws StepResultException if it cannot be returned
     */
    <T> @Nullable T decoded(DedupKey key, KeptStep kept, @Nullable ResultCodec<T> codec) {
        byte[] stored = kept.result();
        if (codec == null || kept.kind() == Kind.NULL) {
            return null;
        }
        if (stored == null) {
            String why = kept.kind() == Kind.NONE
                    ? "it returned none then"
                    : kept.size() < 0
                            ? "it could not be encoded"
                            : "its " + kept.size() + " bytes were too large to be kept";
            throw unreadable(key, kept.name(), why, null);
        }
        try {
            byte[] bytes = encryption == null
                    ? stored
                    : encryption.decrypt(boundTo(key, kept.name()), key.messageId(), stored);
            T result = codec.decode(bytes);
            if (result == null) {
                throw new IllegalStateException("the codec returned null");
            }
            return result;
        } catch (Exception | LinkageError e) {
            throw unreadable(key, kept.name(), "it cannot be read: " + e, e);
        }
    }

    static StepResultException unreadable(DedupKey key, String name, String why, @Nullable Throwable cause) {
        return new StepResultException(
                name,
                "Step " + name + " of message ID " + key
                        + " has run in an earlier attempt, and there is no result of it: " + why
                        + ". It does not run again. To go on, read the old result in the code, or rename the step to run it"
                        + " again",
                cause);
    }

    /** A kept result can only be decrypted as that of the same step of the same message. */
    private static String boundTo(DedupKey key, String name) {
        return key.scope().text() + "\0step\0" + name;
    }

    WriteResult keep(Claim claim, byte[] entries) {
        WriteResult answer = calls.keepStep(new StepRequest(claim, entries));
        return answer instanceof WriteResult.StoreError // once more: many failures concern one connection
                ? calls.keepStep(new StepRequest(claim, entries))
                : answer;
    }

    private static void leftOut(DedupKey key, String name, Throwable cause) {
        SafeLog.warn(
                log,
                "Cannot keep the result of {}: if the handler fails now, its next attempt fails at this step",
                new Named(key, name),
                cause);
    }

    /** Notes that a step has run, and that the store has not kept it. */
    void unrecorded(DedupKey key, String name, DedupStoreException cause) {
        SafeLog.warn(
                log,
                "The store has not kept {}: if the handler fails before a later write succeeds, this step runs again",
                new Named(key, name),
                cause);
    }

    /** A step, for a log line. */
    private record Named(DedupKey key, String name) {
        @Override
        public String toString() {
            return "step " + name + " of message ID " + key;
        }
    }

    void report(DedupKey key, String name, StepOutcome outcome) {
        listeners.report(listener -> listener.step(key, name, outcome));
    }
}
