package io.dedup.http.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An answer to a request that doesn't run.
 *
 * @param error whether the container or framework makes the body of this status
 * @param message of an error; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Answer(
        int status,
        boolean error,
        @Nullable String message,
        @Nullable String contentType,
        Map<String, List<String>> headers,
        byte[] body) {}
