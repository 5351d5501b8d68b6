package io.dedup.rocketmq.internal.open;

import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.rocketmq.internal.broker.ReceivedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/**
 * A message that was received and that isn't acknowledged or returned to the broker yet. Only {@link OpenMessages}
 * changes it, under its lock; any thread may call the public methods.
 */
public final class OpenMessage {
    /** The progress of a message. */
    private enum State {
        /** Behind others of its message group: it is claimed only at its turn. */
        WAITING,
        /** Its turn has come; the store hasn't decided yet. */
        UNDECIDED,
        /** Claimed; waits for a thread. */
        READY,
        /** Its handler is running or has run; or it is a copy of a message that is still open. */
        RUNNING,
        /** Acknowledged or returned. */
        CLOSED
    }

    private final ReceivedMessage received;
    private final Delivery delivery;
    private final @Nullable String group;
    private volatile State state = State.WAITING;
    private volatile long waitsSince; // for another consumer; 0 if it doesn't
    private volatile @Nullable Execution execution;
    private volatile long startedAt; // 0 before its handler starts
    private volatile boolean failedWithoutClaim;
    private volatile @Nullable OpenMessage leader; // of which this is a copy
    private final List<OpenMessage> copies = new ArrayList<>();
    private boolean apart; // a thread of its own decides about it at its turn
    private boolean held; // the store's answer was a deferral; the store is asked again
    private boolean triedInTransaction; // at least once

    public OpenMessage(MessageView view, Delivery delivery) {
        this.received = new ReceivedMessage(view);
        this.delivery = delivery;
        this.group = view.getMessageGroup()
                .map(name -> view.getTopic() + '/' + name) // a topic's name has no slash
                .orElse(null);
    }

    public MessageView view() {
        return received.view();
    }

    public ReceivedMessage received() {
        return received;
    }

    public Delivery delivery() {
        return delivery;
    }

    /** Names the message in logs. */
    public String origin() {
        return received.origin();
    }

    /** Its execution, once it is claimed. */
    public Execution execution() {
        return Objects.requireNonNull(execution);
    }

    /** Whether its handler failed here after its claim was lost. */
    public boolean hasFailedWithoutClaim() {
        return failedWithoutClaim;
    }

    /**
     * How long it has waited for another consumer, or for a transaction that can be committed: since the first such answer. A wait
     * for its turn, for the store or for a thread is none, nor is the run of a handler that lost its claim.
     */
    public Duration waited() {
        long since = waitsSince;
        return since == 0 ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - since);
    }

    /** Whether it was acknowledged or returned. */
    public boolean isClosed() {
        return state == State.CLOSED;
    }

    /** Whether its handler has run longer than allowed, so that its lease isn't renewed any more. */
    public boolean isOverdue(long now) {
        OpenMessage first = leader;
        if (first != null) {
            return first.isOverdue(now);
        }
        return startedAt != 0
                && now - startedAt
                        > delivery.topic().policy().maxProcessingTime().toNanos();
    }

    /** Releases the claim of a closed message, unless its handler has started. */
    public void giveBackUnstartedClaim() {
        Execution claimed = execution;
        if (claimed != null && startedAt == 0) {
            claimed.giveBack();
        }
    }

    /** Its message group, whose messages are handled one after the other; null if it has none. */
    @Nullable
    String group() {
        return group;
    }

    boolean isWaiting() {
        return state == State.WAITING;
    }

    boolean isUndecided() {
        return state == State.UNDECIDED;
    }

    boolean isReady() {
        return state == State.READY;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    boolean isApart() {
        return apart;
    }

    boolean isHeld() {
        return held;
    }

    /** The message itself, then its copies. */
    List<OpenMessage> withCopies() {
        List<OpenMessage> all = new ArrayList<>(List.of(this));
        all.addAll(copies);
        return all;
    }

    /** Whether it is overdue and isn't a copy. */
    boolean isOverdueLeader(long now) {
        return startedAt != 0 && leader == null && isOverdue(now);
    }

    void turnBegins() {
        state = State.UNDECIDED;
    }

    void setApart() {
        apart = true;
    }

    void waitsForAnother() {
        waitsSince = waitsSince == 0 ? System.nanoTime() : waitsSince;
    }

    /** It waits for the store, and nobody knows of another consumer. */
    void waitsForStore() {
        waitsSince = 0;
    }

    void hold(boolean hold) {
        held = hold;
    }

    void claimed(Execution claimed) {
        state = State.READY;
        held &= claimed.isTransactional(); // the record may defer it again
        execution = claimed;
    }

    void starts() {
        state = State.RUNNING;
        Execution claimed = execution;
        if (claimed == null || !claimed.isTransactional()) {
            startedAt = System.nanoTime();
        }
    }

    void begunInTransaction() {
        held = false;
        startedAt = System.nanoTime();
        if (!triedInTransaction) {
            triedInTransaction = true;
            waitsSince = 0; // from now on it waits for its own commit
        }
    }

    void undecidedAgain() {
        state = State.UNDECIDED;
        startedAt = 0;
        execution = null;
    }

    void claimLost(boolean hasFailed) {
        undecidedAgain();
        failedWithoutClaim |= hasFailed;
        waitsSince = 0; // the claim was its own until now
    }

    void followedBy(OpenMessage copy) {
        copies.add(copy);
        copy.leader = this;
        copy.state = State.RUNNING;
        copy.held = false;
    }

    void close() {
        state = State.CLOSED;
    }
}
