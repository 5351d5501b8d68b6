package io.dedup.rocketmq.internal.open;

import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/** A message between its receipt and the broker's last word about it. Guarded by its loop, except where it says so. */
public final class OpenMessage {
    /** How far it has come. */
    public enum State {
        /** Behind others of its message group: the store isn't asked before its turn, and it holds no claim. */
        WAITING,
        /** The store hasn't decided yet. */
        UNDECIDED,
        /** Claimed; waits for a thread. */
        READY,
        /** Its handler runs, or has run. */
        RUNNING,
        /** Acked or given back. */
        CLOSED
    }

    public final MessageView view;
    public final Delivery delivery;
    public final long receivedAt = System.nanoTime();

    /**
     * Since when it is to be decided about, by {@link System#nanoTime()}: since its turn in its message group; with a
     * transaction, since the first one.
     */
    public volatile long waitsSince = receivedAt;

    /** Of the same batch with the same ID; acked when this one is. */
    public final List<OpenMessage> copies = new ArrayList<>();

    /** What was last asked of the broker; the next order waits for its answer. For any thread. */
    public final AtomicReference<CompletableFuture<?>> lastOrder =
            new AtomicReference<>(CompletableFuture.completedFuture(null));

    /** The broker gives it to others by now. For any thread. */
    public volatile boolean gone;

    /** Changed by its loop alone; read by any thread. */
    public volatile State state = State.WAITING;

    /** A thread of its own decides about it at its turn, see {@link OpenMessages#setApart}. */
    public boolean apart;

    /** The store's answer was a deferral; it is asked again. */
    public boolean held;

    /** Its handler failed after it had lost its claim. */
    public boolean lost;

    /** When its invisible time was last asked for, by {@link System#nanoTime()}. For any thread. */
    public volatile long extendedAt = receivedAt;

    /** Of whom this is a copy. */
    @Nullable
    public OpenMessage leader;

    @Nullable
    public Execution execution;

    /** Whether a transaction has been asked for it. */
    public boolean tried;

    /** Since when its handler runs, by {@link System#nanoTime()}; 0 before. Read by any thread. */
    public volatile long startedAt;

    public OpenMessage(MessageView view, Delivery delivery) {
        this.view = view;
        this.delivery = delivery;
    }

    /** Whose messages are handled one after the other; null when it has no message group. */
    @Nullable
    public String lane() {
        return view.getMessageGroup()
                .map(group -> view.getTopic() + '/' + group) // a topic's name has no slash
                .orElse(null);
    }

    /** True when the handler is allowed to run no longer: its lease isn't renewed any more. */
    public boolean isOverdue(long now) {
        if (leader != null) {
            return leader.isOverdue(now);
        }
        return startedAt != 0
                && now - startedAt
                        > delivery.topic().policy().maxProcessingTime().toNanos();
    }
}
