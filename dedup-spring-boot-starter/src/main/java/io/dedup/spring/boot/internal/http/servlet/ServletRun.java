package io.dedup.spring.boot.internal.http.servlet;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.spring.boot.internal.http.HttpRun;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

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
final class ServletRun implements Settlement<@Nullable Void, @Nullable Throwable>, AsyncListener {
    private static final int CLIENT_ERROR = 400;

    private final HttpRun run;
    private final HttpServletRequest request;
    private final CapturingResponse response;
    private final AtomicBoolean settled = new AtomicBoolean();
    private volatile boolean timedOut;

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
    public @Nullable Throwable succeeded(@Nullable Void nothing) {
        if (request.isAsyncStarted()) {
            try {
                request.getAsyncContext().addListener(this);
                return null;
            } catch (IllegalStateException e) { // it has ended meanwhile
                return end();
            }
        }
        return end();
    }

    @Override
    public @Nullable Throwable failed(Throwable thrown) {
        if (!settled.compareAndSet(false, true)) {
            return thrown;
        }
        boolean lost = run.failed(thrown);
        if (!HandlerRun.isDeferral(lost, thrown) || response.isSent()) {
            return thrown;
        }
        try {
            response.discard();
            IdempotencyKeyFilter.write(run.leaseLost(), response.original());
            return null;
        } catch (IOException | RuntimeException e) {
            thrown.addSuppressed(e);
            return thrown;
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

    private Throwable abandoned(Throwable thrown) {
        if (settled.compareAndSet(false, true)) {
            run.abandoned();
        }
        return thrown;
    }

    private @Nullable Throwable end() {
        response.finish();
        settle();
        try {
            response.send();
            return null;
        } catch (IOException | RuntimeException e) {
            return e;
        }
    }

    private void settle() {
        if (!settled.compareAndSet(false, true)) {
            return;
        }
        if (response.isCutOff() || (timedOut && response.status() >= CLIENT_ERROR)) {
            run.abandoned();
        } else {
            run.ended(response.stored(run.path().headers()));
        }
    }

    static void rethrow(@Nullable Throwable thrown) throws IOException, ServletException {
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
