package io.dedup.http.internal.servlet;

import io.dedup.Fingerprint;
import io.dedup.adapter.HandlerRun;
import io.dedup.http.internal.HttpCall;
import io.dedup.http.internal.HttpDecision;
import io.dedup.http.internal.HttpPath;
import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.RequestDigest;
import io.dedup.http.internal.ServedPaths;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a request once for its key. In front of the handler, and behind what authenticates clients.
 *
 * <p>The order is that of every run: claim, handler, record, and only then the response to the client. A request that is handled
 * asynchronously passes again when its result is dispatched, and ends there.
 *
 * <p>There are two in a chain. The first takes what it recognizes. Filters behind it may rewrite a path, or forward to another one: the
 * last, directly in front of the servlet, takes what is recognized only then.
 */
public final class IdempotencyKeyFilter implements Filter {
    private static final String RUN = IdempotencyKeyFilter.class.getName();

    private final Supplier<ServedPaths> paths;
    private final Supplier<FrontServlet> servlet;
    private final AnswerWriter answers;

    /**
     * A filter. Both are asked with the first request, because filters are made before most beans.
     *
     * @param servlet behind the filter
     */
    public IdempotencyKeyFilter(Supplier<ServedPaths> paths, Supplier<FrontServlet> servlet) {
        this.paths = paths;
        this.servlet = servlet;
        this.answers = new AnswerWriter(servlet);
    }

    @Override
    public void doFilter(ServletRequest servletRequest, ServletResponse servletResponse, FilterChain chain)
            throws IOException, ServletException {
        if (!(servletRequest instanceof HttpServletRequest request)
                || !(servletResponse instanceof HttpServletResponse response)) {
            chain.doFilter(servletRequest, servletResponse);
            return;
        }
        if (request.getDispatcherType() == DispatcherType.ASYNC) {
            if (request.getAttribute(RUN) instanceof ServletRun run && run.isOf(answers)) {
                run.dispatched(() -> chain.doFilter(request, response));
            } else {
                chain.doFilter(request, response);
            }
            return;
        }
        HttpPath path = request.getAttribute(RUN) == null ? pathOf(request) : null;
        if (path == null) {
            chain.doFilter(request, response);
        } else {
            filter(path, request, response, chain);
        }
    }

    private @Nullable HttpPath pathOf(HttpServletRequest request) {
        return paths.get().find(request.getMethod(), servlet.get().path(request));
    }

    private void filter(HttpPath path, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpCall call = callOf(request);
        HttpDecision decision = path.check(call);
        HttpServletRequest readable = request;
        if (decision instanceof HttpDecision.Claim claim) {
            path.requireOutsideOfTransaction(OpenTransaction.isOpen());
            Fingerprint fingerprint = null;
            if (path.comparesRequests()) {
                RequestDigest digest = new RequestDigest(call);
                HttpServletRequest read = RequestContent.read(request, path.maxRequestSize(), digest);
                if (read == null) {
                    answers.write(path.tooLarge(), request, response);
                    return;
                }
                readable = read;
                fingerprint = digest.fingerprint();
            }
            decision = path.claim(call, claim.messageId(), fingerprint);
        }
        if (decision instanceof HttpDecision.Run admitted) {
            run(admitted, readable, response, chain);
        } else if (decision instanceof HttpDecision.Reply reply) {
            answers.write(reply.answer(), request, response);
        } else {
            chain.doFilter(readable, response);
        }
    }

    private static HttpCall callOf(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        return new HttpCall(
                request.getMethod(),
                request.getRequestURI(),
                request.getQueryString(),
                name -> Collections.list(request.getHeaders(name)),
                principal == null ? null : principal.getName());
    }

    private void run(
            HttpDecision.Run admitted, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        CapturingResponse capturing;
        ServletRun run;
        try {
            capturing = new CapturingResponse(
                    request, response, admitted.run().path().maxResponseSize());
            run = new ServletRun(admitted.run(), request, capturing, answers);
            request.setAttribute(RUN, run);
            request.setAttribute(HttpRun.CONTEXT, admitted.run().execution());
        } catch (Throwable e) { // otherwise the claim would be renewed for maxProcessingTime
            admitted.run().execution().giveBack();
            throw e;
        }
        Optional<Throwable> end = HandlerRun.run(
                admitted.run().execution(),
                () -> {
                    chain.doFilter(run.observed(request), capturing);
                    return true;
                },
                run);
        ServletRun.rethrow(end);
    }
}
