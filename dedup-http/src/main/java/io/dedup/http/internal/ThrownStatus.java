package io.dedup.http.internal;

import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatusCode;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/** The status with which Spring answers an exception that the application doesn't handle. */
public final class ThrownStatus {
    private ThrownStatus() {}

    /** Null if the exception says nothing about it. */
    public static @Nullable HttpStatusCode of(Throwable thrown) {
        try {
            if (thrown instanceof ErrorResponse error) {
                return error.getStatusCode();
            }
            ResponseStatus annotation =
                    AnnotatedElementUtils.findMergedAnnotation(thrown.getClass(), ResponseStatus.class);
            return annotation == null ? null : annotation.code();
        } catch (RuntimeException | Error e) { // of its own code: then it is a failure as any other
            return null;
        }
    }
}
