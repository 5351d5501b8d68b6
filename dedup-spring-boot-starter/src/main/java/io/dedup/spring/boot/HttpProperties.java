package io.dedup.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** {@code dedup.http}: requests with an {@code Idempotency-Key}. Not thread-safe. */
public class HttpProperties {
    /** The request header that has the key. */
    private String header = "Idempotency-Key";

    /** A page for your clients that describes how you use the header; problem details name it as their type. */
    private @Nullable String documentation;

    /** Response headers that duplicates don't receive, besides Set-Cookie, Date, Access-Control-* and those of the connection. */
    private List<String> headersNotReplayed = List.of();

    /** Settings for all paths that don't set their own. */
    @NestedConfigurationProperty
    private final HttpPolicyProperties defaults = new HttpPolicyProperties();

    /** The paths whose requests are deduplicated, by their pattern in brackets, such as "[/payments]", or by any name with path. */
    private final Map<String, HttpPathProperties> paths = new LinkedHashMap<>();

    public String getHeader() {
        return header;
    }

    public void setHeader(String header) {
        this.header = header;
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

    public HttpPolicyProperties getDefaults() {
        return defaults;
    }

    public Map<String, HttpPathProperties> getPaths() {
        return paths;
    }
}
