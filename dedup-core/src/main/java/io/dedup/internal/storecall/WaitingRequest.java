package io.dedup.internal.storecall;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A request of a thread that waits for a call to share. {@link CallLanes} changes its state until it is sent, with its lock. */
final class WaitingRequest<Q, A> {
    /** What the thread has to do. */
    enum State {
        /** Wait for a call. */
        WAITS,
        /** Make the next call. */
        CALLS,
        /** Wait for the answer of the call that another thread is making. */
        SENT,
        /** Use the answer. */
        ENDED
    }

    private final SharedOperation<Q, A> operation;
    private final Q request;
    private final Thread thread = Thread.currentThread();
    private @Nullable A answer;
    private @Nullable Throwable failure;
    private boolean mayRepeat;
    /** Written last, so that whoever reads {@link State#ENDED} sees the answer. */
    private volatile State state = State.WAITS;

    WaitingRequest(SharedOperation<Q, A> operation, Q request) {
        this.operation = operation;
        this.request = request;
    }

    SharedOperation<Q, A> operation() {
        return operation;
    }

    Q request() {
        return request;
    }

    State state() {
        return state;
    }

    void become(State next) {
        state = next;
    }

    void wake() {
        LockSupport.unpark(thread);
    }

    /**
     * Ends the wait. Allocates nothing: whatever has happened, this thread must not go on waiting.
     *
     * @param received null if the call brought no answers
     * @param why the call brought none
     * @param repeatable whether the request may be sent again if it has no result
     */
    void end(@Nullable A received, @Nullable Throwable why, boolean repeatable) {
        answer = received;
        failure = why;
        mayRepeat = repeatable;
        state = State.ENDED;
        wake();
    }

    @Nullable
    A answer() {
        return answer;
    }

    @Nullable
    Throwable failure() {
        return failure;
    }

    boolean mayRepeat() {
        return mayRepeat;
    }
}
