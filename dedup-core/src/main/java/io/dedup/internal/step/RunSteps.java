package io.dedup.internal.step;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.ResultCodec;
import io.dedup.step.KeptStep;
import io.dedup.step.LeaseLostException;
import io.dedup.step.StepLog;
import io.dedup.step.StepOutcome;
import io.dedup.step.StepResultException;
import io.dedup.store.WriteResult;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of one run: those that earlier attempts have kept, and its own. Created with the first step. Thread-safe. */
public final class RunSteps {
    private final Steps steps;
    private final SteppedRun run;
    private final byte @Nullable [] log;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<String> used = new HashSet<>();
    private @Nullable Map<String, KeptStep> kept;
    private int count;
    private int bytes;
    /** Entries of steps that ran and that the store has not kept: sent again with the next one, and before a release. */
    private byte @Nullable [] unrecorded;

    RunSteps(Steps steps, SteppedRun run, byte @Nullable [] log) {
        this.steps = steps;
        this.run = run;
        this.log = log;
    }

    public <T> @Nullable T run(String name, Class<T> type, Supplier<? extends @Nullable T> function) {
        StepKeys.requireName(name);
        return run(name, steps.codecOf(name, type), function);
    }

    /** @param codec null for a step without a result */
    public <T> @Nullable T run(String name, @Nullable ResultCodec<T> codec, Supplier<? extends @Nullable T> function) {
        StepKeys.requireName(name);
        if (run.hasEnded()) {
            throw new IllegalStateException("step " + name + " begins after its run has ended");
        }
        if (!run.guarded()) {
            return function.get();
        }
        steps.requireUsable(name, run);
        DedupKey key = requireNonNull(run.key());
        KeptStep known = begin(key, name);
        boolean ok = false;
        try {
            T result;
            if (known != null) {
                result = steps.decoded(key, known, codec);
            } else {
                requireLease(key, name);
                result = function.get();
            }
            ok = true;
            if (known != null) {
                steps.report(key, name, StepOutcome.KEPT);
                return result;
            }
            keep(key, name, codec, result);
            return result;
        } finally {
            if (!ok) {
                failed(key, name);
            }
        }
    }

    /** Reserves the name in this run; returns the step if it is kept. */
    private @Nullable KeptStep begin(DedupKey key, String name) {
        lock.lock();
        try {
            Map<String, KeptStep> known = kept(key, name);
            if (!used.add(name)) {
                throw new IllegalStateException("step " + name
                        + " occurs twice in one run: a kept step is skipped, so each needs a name of its own, such as "
                        + name + "-2");
            }
            KeptStep step = known.get(name);
            if (step == null) {
                try {
                    requireRoom(key, name);
                } catch (IllegalStateException e) {
                    used.remove(name);
                    throw e;
                }
                count++;
            }
            return step;
        } finally {
            lock.unlock();
        }
    }

    private Map<String, KeptStep> kept(DedupKey key, String name) {
        Map<String, KeptStep> known = kept;
        if (known == null) {
            try {
                known = StepLog.decode(log);
            } catch (IllegalArgumentException e) {
                throw new StepResultException(
                        name,
                        "Step " + name + " of message ID " + key + " may have run in an earlier attempt: "
                                + e.getMessage() + ". It does not run again",
                        e);
            }
            kept = known;
            count = known.size();
            bytes =
                    known
                            .values()
                            .stream() // not the log's length: what was sent again, after a lost answer, is in it twice
                            .mapToInt(step -> StepLog.entry(step).length)
                            .sum();
        }
        return known;
    }

    private void requireRoom(DedupKey key, String name) {
        if (count >= StepLog.MAX_STEPS || bytes + StepLog.MAX_EXTRA_BYTES > steps.maxBytes()) {
            throw new IllegalStateException(
                    "step " + name + " of message ID " + key + " is one too many: a message has at most "
                            + StepLog.MAX_STEPS + " steps, and their results at most " + steps.maxBytes()
                            + " bytes. Return less from"
                            + " steps, or divide the work into several messages");
        }
    }

    private void requireLease(DedupKey key, String name) {
        if (run.leaseLost()) {
            run.stopped();
            throw new LeaseLostException("Step " + name + " of message ID " + key
                    + " did not run: the lease is lost, so another consumer may be handling the message");
        }
    }

    private <T> void keep(DedupKey key, String name, @Nullable ResultCodec<T> codec, @Nullable T result) {
        int room;
        byte[] before;
        lock.lock();
        try {
            room = steps.maxBytes() - bytes;
            before = unrecorded;
        } finally {
            lock.unlock();
        }
        byte[] entry = StepLog.entry(
                steps.encoded(key, name, codec, result, run.topic().policy().maxResultBytes(), room));
        WriteResult answer = steps.keep(requireNonNull(run.claim()), before == null ? entry : joined(before, entry));
        lock.lock();
        try {
            bytes += entry.length;
            if (answer instanceof WriteResult.StoreError) {
                unrecorded = unrecorded == null ? entry : joined(unrecorded, entry);
            } else if (unrecorded == before) {
                unrecorded = null;
            }
        } finally {
            lock.unlock();
        }
        if (answer instanceof WriteResult.LeaseLost && run.hasEnded()) {
            steps.report(key, name, StepOutcome.UNRECORDED);
            throw new IllegalStateException("step " + name + " of message ID " + key
                    + " was still running when its run had ended, so that it isn't kept: another attempt would run it again."
                    + " A handler must not end before its steps have");
        }
        if (answer instanceof WriteResult.LeaseLost) {
            run.stopped();
            run.lost();
            steps.report(key, name, StepOutcome.LEASE_LOST);
            throw new LeaseLostException("Step " + name + " of message ID " + key
                    + " ran, but another consumer has taken over the message: the handler must not go on");
        }
        if (answer instanceof WriteResult.StoreError error) {
            steps.unrecorded(key, name, error.cause());
            steps.report(key, name, StepOutcome.UNRECORDED);
        } else {
            steps.report(key, name, StepOutcome.RUN);
        }
    }

    /** Nothing is kept, so that the handler may try the step again. */
    private void failed(DedupKey key, String name) {
        lock.lock();
        try {
            if (used.remove(name) && kept != null && !kept.containsKey(name)) {
                count--;
            }
        } finally {
            lock.unlock();
        }
        steps.report(key, name, StepOutcome.FAILED);
    }

    /** Tries once more to keep what the store has not kept, because another attempt follows. Never throws. */
    public void flush() {
        byte[] open;
        lock.lock();
        try {
            open = unrecorded;
            unrecorded = null;
        } finally {
            lock.unlock();
        }
        if (open != null && !run.leaseLost()) {
            WriteResult unused = steps.keep(requireNonNull(run.claim()), open);
        }
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
