package io.dedup.http.internal.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import org.springframework.web.context.request.async.AsyncWebRequest;

/** A request that runs. What Spring hears of its end passes {@link LateWork}, and its end is heard of before the container's response ends. */
final class RunRequest extends HttpServletRequestWrapper {
    private final LateWork late;
    private final Runnable beforeDispatch;
    private final Runnable beforeComplete;

    /**
     * The request.
     *
     * @param beforeDispatch called before the work has itself dispatched; never throws
     * @param beforeComplete called before the work ends without a dispatch; never throws
     */
    RunRequest(HttpServletRequest request, LateWork late, Runnable beforeDispatch, Runnable beforeComplete) {
        super(request);
        this.late = late;
        this.beforeDispatch = beforeDispatch;
        this.beforeComplete = beforeComplete;
    }

    @Override
    public AsyncContext startAsync() {
        return new Context(super.startAsync());
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return new Context(super.startAsync(request, response));
    }

    @Override
    public AsyncContext getAsyncContext() {
        return new Context(super.getAsyncContext());
    }

    /** Everything as it is, but its listeners and its end. */
    private final class Context implements AsyncContext {
        private final AsyncContext context;

        Context(AsyncContext context) {
            this.context = context;
        }

        private AsyncListener heard(AsyncListener listener) {
            return listener instanceof AsyncWebRequest ? late.hold(listener) : new Listener(listener);
        }

        @Override
        public void addListener(AsyncListener listener) {
            context.addListener(heard(listener));
        }

        @Override
        public void addListener(AsyncListener listener, ServletRequest request, ServletResponse response) {
            context.addListener(heard(listener), request, response);
        }

        @Override
        public ServletRequest getRequest() {
            return context.getRequest();
        }

        @Override
        public ServletResponse getResponse() {
            return context.getResponse();
        }

        @Override
        public boolean hasOriginalRequestAndResponse() {
            return context.hasOriginalRequestAndResponse();
        }

        @Override
        public void dispatch() {
            beforeDispatch.run();
            context.dispatch();
        }

        @Override
        public void dispatch(String path) {
            beforeDispatch.run();
            context.dispatch(path);
        }

        @Override
        public void dispatch(ServletContext servletContext, String path) {
            beforeDispatch.run();
            context.dispatch(servletContext, path);
        }

        @Override
        public void complete() {
            beforeComplete.run();
            context.complete();
        }

        @Override
        public void start(Runnable run) {
            context.start(run);
        }

        @Override
        public <T extends AsyncListener> T createListener(Class<T> type) throws ServletException {
            return context.createListener(type);
        }

        @Override
        public void setTimeout(long timeout) {
            context.setTimeout(timeout);
        }

        @Override
        public long getTimeout() {
            return context.getTimeout();
        }
    }

    /** An application's: to end the work is a thing of listeners, too, which would get the container's context. */
    private final class Listener implements AsyncListener {
        private final AsyncListener listener;

        Listener(AsyncListener listener) {
            this.listener = listener;
        }

        private AsyncEvent heard(AsyncEvent event) {
            return new AsyncEvent(
                    new Context(event.getAsyncContext()),
                    event.getSuppliedRequest(),
                    event.getSuppliedResponse(),
                    event.getThrowable());
        }

        @Override
        public void onComplete(AsyncEvent event) throws IOException {
            listener.onComplete(heard(event));
        }

        @Override
        public void onTimeout(AsyncEvent event) throws IOException {
            listener.onTimeout(heard(event));
        }

        @Override
        public void onError(AsyncEvent event) throws IOException {
            listener.onError(heard(event));
        }

        @Override
        public void onStartAsync(AsyncEvent event) throws IOException {
            listener.onStartAsync(heard(event));
        }
    }
}
