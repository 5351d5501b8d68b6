package io.dedup.spring.boot.internal.http.servlet;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.spring.boot.internal.http.HttpRun;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One request that runs. It ends when its last dispatch returns: the run is settled, then the response is sent.
 *
 * <ul>
 *   <li>The handler threw: its claim is released, and the container makes the response.
 *   <li>It timed out, or its client went away while the response was streamed: it may still be working. The claim expires with its
 *       lease.
 *   <li>Otherwise the response's status decides.
 * </ul>
 */
final class ServletRun implements Settlement<Boolean, Optional<Throwable>>, AsyncListener {
    private static final int CLIENT_ERROR = 400;

    private final HttpRun run;
    private final HttpServletRequest request;
    private final CapturingResponse response;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile boolean timedOut;
    private volatile boolean sentBeforeTimeout;

    ServletRun(HttpRun run, HttpServletRequest request, CapturingResponse response) {
        this.run = run;
        this.request = request;
        this.response = response;
    }

    /** A dispatch of the request. */
    interface Dispatch {
        void run() throws IOException, ServletException;
    }

    /** The first dispatch has returned. */
    @Override
    public Optional<Throwable> succeeded(Boolean handled) {
        if (request.isAsyncStarted()) {
            try {
                request.getAsyncContext().addListener(this);
                return Optional.empty();
            } catch (IllegalStateException e) { // it has ended meanwhile
                return end();
            }
        }
        return end();
    }

    @Override
    public Optional<Throwable> failed(Throwable thrown) {
        if (response.isCutOff()) { // what the handler throws is that
            return abandoned(thrown);
        }
        if (!settled.compareAndSet(false, true)) {
            return Optional.of(thrown);
        }
        boolean lost = run.failed(thrown);
        if (!HandlerRun.isDeferral(lost, thrown) || response.isSent()) {
            return Optional.of(thrown);
        }
        try {
            response.discard();
            IdempotencyKeyFilter.write(run.leaseLost(), response.original());
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            thrown.addSuppressed(e);
            return Optional.of(thrown);
        }
    }

    /** A later dispatch, with the result of asynchronous work. */
    void dispatched(Dispatch dispatch) throws IOException, ServletException {
        try {
            dispatch.run();
        } catch (Throwable e) {
            rethrow(timedOut ? abandoned(e) : failed(e));
            return;
        }
        if (!request.isAsyncStarted()) {
            rethrow(end());
        }
    }

    private Optional<Throwable> abandoned(Throwable thrown) {
        if (settled.compareAndSet(false, true)) {
            run.abandoned();
        }
        return Optional.of(thrown);
    }

    private Optional<Throwable> end() {
        response.finish();
        settle();
        try {
            response.send();
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.of(e);
        }
    }

    private void settle() {
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        boolean unfinished = timedOut && (sentBeforeTimeout || response.status() >= CLIENT_ERROR);
        if (response.isCutOff() || unfinished) {
            run.abandoned();
        } else {
            run.ended(response.stored(run.path().headers()));
        }
    }

    static void rethrow(Optional<Throwable> end) throws IOException, ServletException {
        Throwable thrown = end.orElse(null);
        if (thrown instanceof IOException e) {
            throw e;
        }
        if (thrown instanceof ServletException e) {
            throw e;
        }
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
        if (thrown instanceof Error e) {
            throw e;
        }
        if (thrown != null) {
            throw new ServletException(thrown);
        }
    }

    /** Without a dispatch, as {@code AsyncContext.complete} ends it: what was written has been sent. */
    @Override
    public void onComplete(AsyncEvent event) {
        settle();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        sentBeforeTimeout = response.isSent();
        timedOut = true;
    }

    /** The connection failed. Whoever makes the response may not know it yet. */
    @Override
    public void onError(AsyncEvent event) {
        if (settled.compareAndSet(false, true)) {
            run.abandoned();
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
