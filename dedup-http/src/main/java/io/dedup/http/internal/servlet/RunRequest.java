package io.dedup.http.internal.servlet;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.springframework.web.context.request.async.AsyncWebRequest;

/** A request that runs. What Spring hears of its end passes {@link LateWork}. */
final class RunRequest extends HttpServletRequestWrapper {
    private final LateWork late;

    RunRequest(HttpServletRequest request, LateWork late) {
        super(request);
        this.late = late;
    }

    @Override
    public AsyncContext startAsync() {
        return new Context(super.startAsync(), late);
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        return new Context(super.startAsync(request, response), late);
    }

    @Override
    public AsyncContext getAsyncContext() {
        return new Context(super.getAsyncContext(), late);
    }

    /** Everything as it is, but Spring's listener. */
    private static final class Context implements AsyncContext {
        private final AsyncContext context;
        private final LateWork late;

        Context(AsyncContext context, LateWork late) {
            this.context = context;
            this.late = late;
        }

        private AsyncListener heard(AsyncListener listener) {
            return listener instanceof AsyncWebRequest ? late.hold(listener) : listener;
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
            context.dispatch();
        }

        @Override
        public void dispatch(String path) {
            context.dispatch(path);
        }

        @Override
        public void dispatch(ServletContext servletContext, String path) {
            context.dispatch(servletContext, path);
        }

        @Override
        public void complete() {
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
}
