package io.dedup.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code dedup.http}: requests with an {@code Idempotency-Key}. Not thread-safe. */
public class HttpProperties {
    /** The request header that has the key. */
    private String header = "Idempotency-Key";

    /** The consumer name within which keys are unique, for paths that set none of their own. Needed if there are paths. Changing it forgets windows. */
    private @Nullable String consumer;

    /** What separates the keys of different clients, for paths that set nothing of their own: principal, header:X-Tenant, none, or several joined with ' + '. principal by default, which needs Spring Security; without it, this must be set. */
    private @Nullable String scopeBy;

    /** A page for your clients that describes how you use the header; problem details name it as their type. */
    private @Nullable String documentation;

    /** Response headers that duplicates don't receive, besides Set-Cookie, Date, Access-Control-* and those of the connection. */
    private List<String> headersNotReplayed = List.of();

    /** The paths whose requests are deduplicated, by their pattern in brackets, such as "[/payments]", or by any name with path. */
    private final Map<String, HttpPathProperties> paths = new LinkedHashMap<>();

    public String getHeader() {
        return header;
    }

    public void setHeader(String header) {
        this.header = header;
    }

    public @Nullable String getConsumer() {
        return consumer;
    }

    public void setConsumer(@Nullable String consumer) {
        this.consumer = consumer;
    }

    public @Nullable String getScopeBy() {
        return scopeBy;
    }

    public void setScopeBy(@Nullable String scopeBy) {
        this.scopeBy = scopeBy;
    }

    public @Nullable String getDocumentation() {
        return documentation;
    }

    public void setDocumentation(@Nullable String documentation) {
        this.documentation = documentation;
    }

    public List<String> getHeadersNotReplayed() {
        return headersNotReplayed;
    }

    public void setHeadersNotReplayed(List<String> headersNotReplayed) {
        this.headersNotReplayed = headersNotReplayed;
    }

    public Map<String, HttpPathProperties> getPaths() {
        return paths;
    }
}
