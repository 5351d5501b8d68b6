package io.dedup.http.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a response.
 *
 * @param error whether the container made the body: a duplicate asks for it again
 * @param bodyOmitted whether there was a body that isn't kept
 * @param message of an error; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredResponse(
        int status,
        boolean error,
        boolean bodyOmitted,
        @Nullable String message,
        @Nullable String contentType,
        Map<String, List<String>> headers,
        byte[] body) {

    /** One of which nothing but its status is known, or kept. */
    public static StoredResponse ofStatus(int status, boolean error, boolean bodyOmitted) {
        return new StoredResponse(status, error, bodyOmitted, null, null, Map.of(), new byte[0]);
    }

    /** The same without its body. */
    StoredResponse withoutBody() {
        return new StoredResponse(status, error, true, message, contentType, headers, new byte[0]);
    }

    /** The same without what may be large, for a store that takes nothing larger. */
    StoredResponse statusOnly() {
        return ofStatus(status, error, true);
    }
}
