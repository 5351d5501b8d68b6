package io.dedup.http.internal.servlet;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.http.internal.HttpRun;
import io.dedup.step.LeaseLostException;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * One request that runs. It ends when its last dispatch returns: the run is settled, then the response is sent.
 *
 * <ul>
 *   <li>The handler threw: its claim is released, and the container makes the response.
 *   <li>Its request timed out, or lost its client: the handler may still be working. The claim is renewed as long as that of any other
 *       handler, and the result of the work settles it, if it is known ({@link LateWork}).
 *   <li>A stream was cut off by its client, which its handler notices: the claim expires with its lease.
 *   <li>The handler threw, and Spring MVC has answered nothing or has answered too late: as if the handler's exception had come through.
 *   <li>Otherwise the response's status decides.
 * </ul>
 */
final class ServletRun implements Settlement<Boolean, Optional<Throwable>>, AsyncListener {
    private static final int CLIENT_ERROR = 400;

    /** {@code DispatcherServlet.EXCEPTION_ATTRIBUTE}: what a handler threw, if it was resolved without a view. */
    private static final String EXCEPTION = "org.springframework.web.servlet.DispatcherServlet.EXCEPTION";

    private final HttpRun run;
    private final HttpServletRequest request;
    private final CapturingResponse response;
    private final AnswerWriter answers;
    private final AtomicBoolean settled = new AtomicBoolean();
    private final LateWork late;
    private volatile boolean timedOut;
    private volatile boolean sentBefore;
    /** Whether the response is made of what a {@code Callable} has returned or thrown. */
    private volatile boolean ofTask;

    /** Whether the response is made of a future that was cancelled or has timed out. */
    private volatile boolean stopped;

    private volatile boolean broken;
    /** Whether a result is dispatched. If that doesn't come here, something in front has answered in its place. */
    private volatile boolean dispatching;
    /** What asynchronous work failed with when the status had been sent. */
    private volatile @Nullable Throwable failedTooLate;

    ServletRun(HttpRun run, HttpServletRequest request, CapturingResponse response, AnswerWriter answers) {
        this.run = run;
        this.request = request;
        this.response = response;
        this.answers = answers;
        this.late = new LateWork(response, this::late, run.path().settlements(), run.maxProcessingTime());
    }

    /** Whether it began in the filter that has this. */
    boolean isOf(AnswerWriter filter) {
        return answers == filter;
    }

    /** The request for its handler. */
    HttpServletRequest observed(HttpServletRequest readable) {
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.registerDeferredResultInterceptor(LateWork.class.getName(), late);
        manager.registerCallableInterceptor(LateWork.class.getName(), late);
        return new RunRequest(readable, late, () -> dispatching = true, this::completing);
    }

    /** A dispatch of the request. */
    interface Dispatch {
        void run() throws IOException, ServletException;
    }

    /** The first dispatch has returned. */
    @Override
    public Optional<Throwable> succeeded(Boolean handled) {
        return listens() ? Optional.empty() : end();
    }

    /** Whether the request is asynchronous, so that this hears of its end. */
    private boolean listens() {
        if (!request.isAsyncStarted()) {
            return false;
        }
        try {
            request.getAsyncContext().addListener(this);
            return true;
        } catch (IllegalStateException e) { // it has ended meanwhile
            return false;
        }
    }

    @Override
    public Optional<Throwable> failed(Throwable thrown) {
        if (response.isCutOff()) { // what the handler throws is that
            return abandoned(thrown);
        }
        if (request.isAsyncStarted()) { // something beside the work, which may go on
            sentBefore = response.isSent();
            broken = true;
            boolean hears = listens();
            // the container's own bookkeeping may fail now, so that it calls no listener when the request ends
            return hears && !late.hasTask() ? Optional.of(thrown) : unfinished(thrown);
        }
        if (!settled.compareAndSet(false, true)) {
            return Optional.of(thrown);
        }
        boolean lost = run.failed(thrown);
        return HandlerRun.isDeferral(lost, thrown) ? leaseLost(thrown) : Optional.of(thrown);
    }

    /** Answers in place of the handler. If a part of its response has been sent, the container cuts it off, as after any exception. */
    private Optional<Throwable> leaseLost(Throwable thrown) {
        if (response.isSent()) {
            return Optional.of(thrown);
        }
        try {
            response.discard();
            answers.write(run.leaseLost(), request, response.original());
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            thrown.addSuppressed(e);
            return Optional.of(thrown);
        }
    }

    /** A later dispatch, with the result of asynchronous work. */
    void dispatched(Dispatch dispatch) throws IOException, ServletException {
        dispatching = false;
        Object result = WebAsyncUtils.getAsyncManager(request).getConcurrentResult();
        if (result instanceof Throwable thrown && response.isCommitted()) {
            failedTooLate = thrown;
        }
        ofTask = late.isOfTask(result);
        stopped = !ofTask && result instanceof Throwable thrown && HttpRun.mayGoOn(thrown);
        try {
            dispatch.run();
        } catch (Throwable e) {
            rethrow(timedOut || broken || stopped ? unfinished(e) : failed(e));
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

    private Optional<Throwable> unfinished(Throwable thrown) {
        if (response.isCutOff()) {
            return abandoned(thrown);
        }
        unfinished();
        return Optional.of(thrown);
    }

    /** The request has ended, and its work perhaps not. */
    private void unfinished() {
        switch (late.requestEnded()) {
            case NEVER_BEGINS -> {
                if (settled.compareAndSet(false, true)) {
                    run.failed(new AsyncRequestTimeoutException());
                }
            }
            case UNOBSERVED -> {
                if (!settled.get()) {
                    run.unobserved();
                }
            }
            case OBSERVED -> {} // its end settles the run
        }
    }

    /** The work has ended after its request. */
    private void late(@Nullable Object result) {
        boolean unknown = LateResult.isUnknown(result) || (result instanceof Throwable && sentBefore);
        if (!unknown && settled.compareAndSet(false, true)) {
            LateResult.settle(run, result);
        }
    }

    private Optional<Throwable> end() {
        Throwable unfinished = finish();
        try {
            Throwable swallowed = response.isCutOff() || mayGoOn() ? null : swallowed();
            if (swallowed != null) {
                return failed(swallowed);
            }
            LeaseLostException stopped = settle(unfinished == null);
            if (stopped != null) {
                return leaseLost(stopped);
            }
        } catch (RuntimeException | Error e) { // it isn't known whether it has succeeded
            return failed(e);
        }
        if (unfinished != null) {
            return Optional.of(unfinished);
        }
        try {
            response.send();
            return Optional.empty();
        } catch (IOException | RuntimeException e) {
            return Optional.of(e);
        }
    }

    /** Why the response isn't complete: what the handler's writer has buffered cannot be written. Null if it is. */
    private @Nullable Throwable finish() {
        try {
            response.finish();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * What the handler threw, if Spring has taken it for the sign of a client that has gone away, and has answered nothing. Here, no
     * handler notices that but that of a stream: a connection of the handler's own has broken. Null if there is no such exception.
     */
    private @Nullable Throwable swallowed() {
        return request.getAttribute(EXCEPTION) instanceof Throwable thrown
                        && response.isUntouched()
                        && response.status() < CLIENT_ERROR
                        && !failedTooLate()
                        && DisconnectedClientHelper.isClientDisconnectedException(thrown)
                ? thrown
                : null;
    }

    /** Whether a failure was resolved into nothing that the client can see, because the status had been sent. */
    private boolean failedTooLate() {
        return failedTooLate != null || response.isFailedTooLate();
    }

    private Throwable lateFailure() {
        Throwable thrown = failedTooLate;
        if (thrown != null) {
            return thrown;
        }
        return request.getAttribute(EXCEPTION) instanceof Throwable resolved
                ? resolved
                : new IllegalStateException("the response failed after a part of it was sent");
    }

    /**
     * Settles the run, or throws before anything has.
     *
     * @param complete whether the response may be kept
     * @return why the client must not get the response; null if it may
     */
    private @Nullable LeaseLostException settle(boolean complete) {
        if (!response.isCutOff() && mayGoOn()) {
            unfinished();
            return null;
        }
        int status = response.status();
        if (!settled.compareAndSet(false, true)) {
            return null;
        }
        if (response.isCutOff()) {
            run.abandoned();
            return null;
        }
        if (failedTooLate() && run.stopped() == null) {
            run.failed(lateFailure());
            return null;
        }
        return run.ended(status, () -> complete ? response.stored(run.path().headers()) : null);
    }

    /**
     * Whether the work may outlive its request, whose response is an answer to something else. A {@code Callable} is not done by what its
     * application answers to its timeout, whatever the status.
     */
    private boolean mayGoOn() {
        return broken
                || dispatching
                || (stopped && response.status() >= CLIENT_ERROR)
                || (timedOut && (sentBefore || response.status() >= CLIENT_ERROR || (late.hasTask() && !ofTask)));
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

    /**
     * {@code AsyncContext.complete} is called, after which the container takes nothing more. The run isn't settled yet: that depends on
     * whether the request has timed out, which others may hear of before this does.
     */
    private void completing() {
        try {
            LeaseLostException stopped = run.stopped();
            if (stopped == null) {
                response.finish();
                response.send();
            } else if (settled.compareAndSet(false, true)) {
                run.failed(stopped);
                var unused = leaseLost(stopped);
            }
        } catch (IOException | RuntimeException e) {
            // Its client has gone away, or its request has ended. The container has to hear of the end all the same.
        }
    }

    /** Without a dispatch, as {@code AsyncContext.complete} ends it: what was written has been sent. */
    @Override
    public void onComplete(AsyncEvent event) {
        response.close();
        try {
            var unused = settle(true); // nobody can be answered any more
        } catch (RuntimeException | Error e) {
            var unused = failed(e);
        }
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        sentBefore = response.isSent();
        timedOut = true;
    }

    /** The connection failed, and whoever makes the response may not know it yet. Tomcat also reports an answer to a timeout so. */
    @Override
    public void onError(AsyncEvent event) {
        if (!timedOut && !broken) { // by now the container has sent a page of its own
            sentBefore = response.isSent();
            broken = true;
        }
    }

    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
