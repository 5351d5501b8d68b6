package io.dedup.http.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/** Which headers of a response its duplicates receive. Immutable. */
public final class ResponseHeaders {
    /** About the moment, the connection or the client's session, or made anew for each response. */
    private static final Set<String> NEVER = Set.of(
            "set-cookie",
            "set-cookie2",
            "date",
            "age",
            "server",
            "connection",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "www-authenticate",
            "authentication-info",
            "content-length",
            "content-type", // kept apart
            "retry-after",
            "strict-transport-security",
            "vary",
            Answers.REPLAYED.toLowerCase(Locale.ROOT),
            Answers.BODY_OMITTED.toLowerCase(Locale.ROOT));

    private final Set<String> excluded = new TreeSet<>(NEVER);

    ResponseHeaders(List<String> alsoExcluded) {
        alsoExcluded.forEach(name -> excluded.add(name.toLowerCase(Locale.ROOT)));
    }

    public boolean isReplayed(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        return !excluded.contains(lower) && !lower.startsWith("access-control-");
    }
}
