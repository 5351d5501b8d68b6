package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpEntity;
import org.springframework.util.ClassUtils;

/** What the answer of a request handler holds. */
public final class ResponseBody {
    private static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.http.HttpEntity", ResponseBody.class.getClassLoader());

    private ResponseBody() {}

    /** The body of a {@code ResponseEntity}, which may be null; null for anything else. */
    public static @Nullable Object of(Object result) {
        return PRESENT ? Present.of(result) : null;
    }

    /** Loaded only where {@code spring-web} is. */
    private static final class Present {
        static @Nullable Object of(Object result) {
            return result instanceof HttpEntity<?> entity ? entity.getBody() : null;
        }
    }
}
