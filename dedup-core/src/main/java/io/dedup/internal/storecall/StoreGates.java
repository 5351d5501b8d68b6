package io.dedup.internal.storecall;

import io.dedup.DedupTopic;
import org.jspecify.annotations.Nullable;

/**
 * A gate for claims and one for completions and releases: a store that does not answer claims may still answer
 * completions, and vice versa. Thread-safe.
 */
public final class StoreGates {
    private final StoreGate claims = new StoreGate(this::askForProbe);
    private final StoreGate writes = new StoreGate(this::askForProbe);
    private volatile @Nullable Runnable prober;

    /** Sets what triggers probing the store while a gate is closed. */
    public void onClosed(Runnable wakesTheProber) {
        prober = wakesTheProber;
    }

    private void askForProbe() {
        Runnable known = prober;
        if (known != null) {
            known.run();
        }
    }

    /** Whether to skip calling the store for a claim now. */
    public boolean keepsClaimsOut(DedupTopic topic) {
        return claims.keepsOut(topic);
    }

    /** Whether completions and releases go to the background at once. */
    public boolean keepsWritesOut(DedupTopic topic) {
        return writes.keepsOut(topic);
    }

    public boolean anyClosed() {
        return claims.isClosed() || writes.isClosed();
    }

    public boolean wantProbe() {
        return claims.wantsProbe() || writes.wantsProbe();
    }

    public void probeAnswered() {
        claims.probeAnswered();
        writes.probeAnswered();
    }

    /** A call on a handler's thread ended. */
    public void ended(StoreCalls.Kind kind, boolean answered, long nanos) {
        if (kind == StoreCalls.Kind.RENEW) {
            return;
        }
        StoreGate gate = gateOf(kind);
        if (answered) {
            gate.answered();
        } else {
            gate.failed(nanos);
        }
    }

    /**
     * Notes that a call in the background ended. Its failures do not count, because it delays no handler; a completion
     * that the store never accepts would fail forever.
     */
    public void endedInBackground(StoreCalls.Kind kind, boolean answered, long nanos) {
        if (answered && kind != StoreCalls.Kind.RENEW) {
            gateOf(kind).answered();
        }
    }

    private StoreGate gateOf(StoreCalls.Kind kind) {
        return kind == StoreCalls.Kind.CLAIM ? claims : writes;
    }
}
