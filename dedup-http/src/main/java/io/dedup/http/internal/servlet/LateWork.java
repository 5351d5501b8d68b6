package io.dedup.http.internal.servlet;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.async.AsyncRequestTimeoutException;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.DeferredResultProcessingInterceptor;
import org.springframework.web.method.HandlerMethod;

/**
 * Asynchronous work of one request in Spring MVC, which may go on after its request has timed out. Reports its result also then.
 *
 * <p>Spring closes a {@code DeferredResult} with the timeout, so that a later result would be lost: here, the exception of the timeout
 * is thrown in its place, and Spring isn't notified of the request's end before that of the work. Thread-safe.
 */
final class LateWork implements DeferredResultProcessingInterceptor, CallableProcessingInterceptor {
    /** {@code HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE} of Spring MVC. */
    private static final String HANDLER = "org.springframework.web.servlet.HandlerMapping.bestMatchingHandler";

    private final CapturingResponse response;
    private final Consumer<@Nullable Object> whenLate;
    private final Executor executor;
    private final Duration longest;
    private final AtomicReference<Task> task = new AtomicReference<>(Task.NONE);

    /** Completes with the work, or when nobody waits for it any more. */
    private final CompletableFuture<Void> kept = new CompletableFuture<>();

    private volatile @Nullable DeferredResult<?> deferred;
    private volatile @Nullable Result ended;
    private volatile boolean requestEnded;
    /** Whether a result of the {@code DeferredResult} may be what was made of the request's end, by Spring or by the application. */
    private volatile boolean ending;

    private @Nullable Held held;
    private boolean keeping;

    /** Of a {@code Callable}. */
    private enum Task {
        NONE,
        SUBMITTED,
        BEGUN,
        CANCELLED
    }

    private record Result(@Nullable Object value) {}

    /**
     * Work of one request.
     *
     * @param whenLate gets what the work returns, or throws, when its request has ended before; doesn't block
     * @param executor may block
     * @param longest after this, nobody waits for the work any more
     */
    LateWork(CapturingResponse response, Consumer<@Nullable Object> whenLate, Executor executor, Duration longest) {
        this.response = response;
        this.whenLate = whenLate;
        this.executor = executor;
        this.longest = longest;
    }

    /** What is known of the work's end. */
    enum End {
        OBSERVED,
        UNOBSERVED,
        NEVER_BEGINS
    }

    /** The request has ended, and its work perhaps not. */
    End requestEnded() {
        requestEnded = true;
        Result before = ended;
        if (before != null) {
            whenLate.accept(before.value());
        }
        if (task.compareAndSet(Task.SUBMITTED, Task.CANCELLED)) {
            return End.NEVER_BEGINS;
        }
        return task.get() == Task.BEGUN || isKept() ? End.OBSERVED : End.UNOBSERVED;
    }

    /** Whether the work is that of a {@code Callable}. */
    boolean hasTask() {
        return task.get() != Task.NONE;
    }

    /** Whether that is what the {@code Callable} has returned or thrown. */
    boolean isOfTask(@Nullable Object result) {
        Result own = ended;
        return hasTask() && own != null && own.value() == result;
    }

    @Override
    public <T> void beforeConcurrentHandling(NativeWebRequest request, Callable<T> submitted) {
        task.set(Task.SUBMITTED);
    }

    @Override
    public <T> void preProcess(NativeWebRequest request, Callable<T> begun) {
        if (!task.compareAndSet(Task.SUBMITTED, Task.BEGUN)) {
            throw new AsyncRequestTimeoutException(); // its request was answered, and its claim is released
        }
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, Callable<T> done, @Nullable Object result) {
        ended(result);
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, DeferredResult<T> done, @Nullable Object result) {
        if (!ending) {
            ended(result);
        }
    }

    /** The container may drop the dispatch of a result if its client goes away at that moment. */
    private void ended(@Nullable Object result) {
        ended = new Result(result);
        if (requestEnded) {
            whenLate.accept(result);
        }
    }

    @Override
    public <T> void preProcess(NativeWebRequest request, DeferredResult<T> started) {
        deferred = started;
        if (isOfSpring(request)) {
            started.onTimeout(() -> {}); // else Spring cancels the future or the publisher, whose result would be lost
        }
    }

    /** Whether Spring has made the {@code DeferredResult}, of a future or a publisher that the handler has returned. */
    private static boolean isOfSpring(NativeWebRequest request) {
        if (!(request.getAttribute(HANDLER, RequestAttributes.SCOPE_REQUEST) instanceof HandlerMethod handler)) {
            return false;
        }
        Class<?> type = handler.getReturnType().getParameterType();
        return !type.isAssignableFrom(DeferredResult.class) && !DeferredResult.class.isAssignableFrom(type);
    }

    /** Behind the application's own answer to the timeout, which is its result if there is one. */
    @Override
    public <T> boolean handleTimeout(NativeWebRequest request, DeferredResult<T> timedOut) {
        if (keepOpen(timedOut)) {
            throw new AsyncRequestTimeoutException(); // as Spring would, but without closing the DeferredResult
        }
        return true;
    }

    /** Not a stream, whose writer notices that its request has ended. The container may have sent an answer of its own. */
    private boolean keepOpen(DeferredResult<?> result) {
        if (response.isPassing() || result.isSetOrExpired()) {
            return false;
        }
        ResultHandler handler = new ResultHandler();
        result.setResultHandler(handler);
        handler.replacing = false;
        if (handler.hadResult) {
            return false;
        }
        keep();
        return true;
    }

    /** In place of Spring's, which would dispatch the request. */
    private final class ResultHandler implements DeferredResult.DeferredResultHandler {
        private final Thread replacer = Thread.currentThread();
        private boolean replacing = true;
        private boolean hadResult;

        @Override
        public void handleResult(@Nullable Object value) {
            if (Thread.currentThread() == replacer && replacing) {
                hadResult = true; // which Spring's handler has got
            } else {
                late(value);
            }
        }
    }

    private synchronized void keep() {
        if (!keeping) {
            keeping = true;
            var unused = kept.completeOnTimeout(null, longest.toMillis(), TimeUnit.MILLISECONDS)
                    .thenRunAsync(this::stopKeeping, executor);
        }
    }

    private void late(@Nullable Object value) {
        requestEnded = true;
        try {
            whenLate.accept(value);
        } finally {
            kept.complete(null);
        }
    }

    private void stopKeeping() {
        Held listener;
        synchronized (this) {
            keeping = false;
            listener = held;
        }
        deferred = null;
        if (listener != null) {
            listener.release();
        }
    }

    private synchronized boolean isKept() {
        return keeping;
    }

    /** Spring's listener of the request, which closes the {@code DeferredResult} when the request ends. */
    AsyncListener hold(AsyncListener spring) {
        Held made = new Held(spring);
        synchronized (this) {
            held = made;
        }
        return made;
    }

    private final class Held implements AsyncListener {
        private final AsyncListener spring;
        private @Nullable AsyncEvent completion;

        Held(AsyncListener spring) {
            this.spring = spring;
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            noteEnd();
            spring.onTimeout(event);
        }

        private void noteEnd() {
            DeferredResult<?> result = deferred;
            ending |= result != null && !result.isSetOrExpired();
        }

        @Override
        public void onStartAsync(AsyncEvent event) throws IOException {
            spring.onStartAsync(event);
        }

        /** The client has gone away: as with any other held response, the work goes on to its end. */
        @Override
        public void onError(AsyncEvent event) throws IOException {
            DeferredResult<?> result = deferred;
            if (!isKept() && (result == null || !keepOpen(result))) {
                noteEnd();
                spring.onError(event);
            }
        }

        @Override
        public void onComplete(AsyncEvent event) throws IOException {
            synchronized (LateWork.this) {
                if (keeping) {
                    completion = event;
                    return;
                }
            }
            spring.onComplete(event);
        }

        /** Only that it has ended: Spring would make a result of the error, as if the work had one. */
        void release() {
            AsyncEvent completed;
            synchronized (LateWork.this) {
                completed = completion;
                completion = null;
            }
            try {
                if (completed != null) {
                    spring.onComplete(completed);
                }
            } catch (IOException | RuntimeException e) {
                // The request has ended. Spring logs what its own handlers throw.
            }
        }
    }
}
