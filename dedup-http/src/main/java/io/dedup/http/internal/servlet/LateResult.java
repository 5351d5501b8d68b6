package io.dedup.http.internal.servlet;

import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.StoredResponse;
import io.dedup.http.internal.ThrownStatus;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.util.ClassUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

/** The result of work whose request has ended: nothing makes a response of it, but its status decides as that of a response does. */
final class LateResult {
    private static final int OK = 200;
    private static final boolean MVC = ClassUtils.isPresent(
            "org.springframework.web.servlet.function.ServerResponse", LateResult.class.getClassLoader());

    private LateResult() {}

    /** Whether it says nothing about the work: it is the end of the request that the work's writer has noticed. */
    static boolean isUnknown(@Nullable Object result) {
        for (Throwable cause = result instanceof Throwable thrown ? thrown : null;
                cause != null;
                cause = cause.getCause()) {
            if (cause instanceof AsyncRequestNotUsableException) {
                return true;
            }
        }
        return false;
    }

    /** Settles a run by it, on a thread of its path. A success counts from now on. */
    static void settle(HttpRun run, @Nullable Object result) {
        HttpStatusCode status = status(result);
        if (result instanceof Throwable thrown && (status == null || status.is5xxServerError())) {
            run.path().settlements().execute(() -> run.failedLater(thrown));
            return;
        }
        int known = status == null ? OK : status.value();
        StoredResponse response =
                status == null ? null : StoredResponse.ofStatus(known, result instanceof Throwable, true);
        run.returned(known, () -> response);
        run.path().settlements().execute(() -> run.ended(known, () -> response));
    }

    private static @Nullable HttpStatusCode status(@Nullable Object result) {
        if (result instanceof ResponseEntity<?> response) {
            return response.getStatusCode();
        }
        if (result instanceof Throwable thrown) {
            return ThrownStatus.of(thrown);
        }
        if (result instanceof ErrorResponse error) {
            return error.getStatusCode();
        }
        if (result instanceof ProblemDetail problem) {
            return HttpStatusCode.valueOf(problem.getStatus());
        }
        return MVC ? MvcStatus.of(result) : null;
    }

    /** Loaded only where Spring MVC is. */
    private static final class MvcStatus {
        static @Nullable HttpStatusCode of(@Nullable Object result) {
            if (result instanceof org.springframework.web.servlet.function.ServerResponse response) {
                return response.statusCode();
            }
            return result instanceof org.springframework.web.servlet.ModelAndView view ? view.getStatus() : null;
        }
    }
}
