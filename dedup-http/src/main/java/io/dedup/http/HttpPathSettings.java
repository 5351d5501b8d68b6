package io.dedup.http;

import io.dedup.http.internal.ClientScope;
import io.dedup.http.internal.MatchedRequests;
import io.dedup.http.internal.PathSettings;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import org.springframework.web.util.pattern.PatternParseException;

/** How the requests of a path are deduplicated, apart from the policy of its topic. Immutable. */
public final class HttpPathSettings {
    private static final Set<String> METHODS = Set.of("POST", "PATCH");
    private static final DataSize MAX_REQUEST = DataSize.ofMegabytes(512);
    private static final DataSize MAX_RESPONSE = DataSize.ofMegabytes(8);
    private static final int MAX_HEADERS = 16 * 1024;

    private final PathSettings settings;

    private HttpPathSettings(PathSettings settings) {
        this.settings = settings;
    }

    /**
     * Settings of the requests whose path matches a pattern.
     *
     * @param pattern as in {@code @RequestMapping}, such as {@code /payments} or <code>/accounts/{id}/transfers</code>
     * @throws IllegalArgumentException if it is no pattern
     */
    public static Builder builder(String pattern) {
        try {
            return new Builder(PathPatternParser.defaultInstance.parse(pattern));
        } catch (PatternParseException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** The pattern. */
    public String pattern() {
        return settings.requests().pattern().getPatternString();
    }

    /** The topic name within which keys are unique. */
    public String topic() {
        return settings.topic();
    }

    /** What the policy of the topic needs as {@link io.dedup.policy.DedupPolicy.Builder#maxResultBytes} for responses of the largest size. */
    public int maxResultBytes() {
        return settings.maxResponseSize() + MAX_HEADERS;
    }

    PathSettings settings() {
        return settings;
    }

    /** Builds {@link HttpPathSettings}. Not thread-safe. */
    public static final class Builder {
        private final PathPattern pattern;
        private @Nullable ClientScope scopeBy;
        private Set<String> methods = METHODS;
        private @Nullable String topic;
        private boolean required = true;
        private boolean storeClientErrors;
        private boolean fingerprint = true;
        private DataSize maxRequestSize = DataSize.ofMegabytes(1);
        private DataSize maxResponseSize = DataSize.ofKilobytes(64);

        private Builder(PathPattern pattern) {
            this.pattern = pattern;
        }

        /**
         * What separates the keys of different clients: {@code principal}, {@code header:<name>}, {@code none}, or several joined by
         * {@code " + "}. It has no default: without it, a client could read the stored response of another one.
         *
         * @throws IllegalArgumentException if it is none of these
         */
        public Builder scopeBy(String text) {
            scopeBy = ClientScope.parse(text);
            return this;
        }

        /** The request methods that are deduplicated; POST and PATCH by default. */
        public Builder methods(Set<String> names) {
            methods = names.stream()
                    .map(method -> method.toUpperCase(Locale.ROOT))
                    .collect(Collectors.toUnmodifiableSet());
            return this;
        }

        /** The topic name within which keys are unique; the pattern by default. Changing it forgets windows. */
        public Builder topic(String name) {
            topic = name;
            return this;
        }

        /** Whether a request without a key is rejected with 400; true by default. Otherwise it runs without deduplication. */
        public Builder required(boolean keyIsRequired) {
            required = keyIsRequired;
            return this;
        }

        /**
         * Whether a response with a 4xx status is stored for duplicates, except 401, 403, 408, 425 and 429. By default the key is
         * released: the effect has not happened, and the client may use the key again.
         */
        public Builder storeClientErrors(boolean store) {
            storeClientErrors = store;
            return this;
        }

        /** Whether a key that is reused for another request is answered with 422; true by default. */
        public Builder fingerprint(boolean compare) {
            fingerprint = compare;
            return this;
        }

        /**
         * The largest request body; 1 MB by default. A larger one is answered with 413. Without {@link #fingerprint} the body is neither
         * read nor limited.
         *
         * @throws IllegalArgumentException if it is negative, or more than 512 MB
         */
        public Builder maxRequestSize(DataSize size) {
            maxRequestSize = within(size, MAX_REQUEST);
            return this;
        }

        /**
         * The largest response body that is stored for duplicates; 64 KB by default.
         *
         * @throws IllegalArgumentException if it is negative, or more than 8 MB
         */
        public Builder maxResponseSize(DataSize size) {
            maxResponseSize = within(size, MAX_RESPONSE);
            return this;
        }

        private static DataSize within(DataSize size, DataSize most) {
            if (size.isNegative() || size.compareTo(most) > 0) {
                throw new IllegalArgumentException(
                        "must be between 0 and " + most.toMegabytes() + "MB, but is " + size);
            }
            return size;
        }

        /**
         * The settings.
         *
         * @throws IllegalStateException without {@link #scopeBy}
         */
        public HttpPathSettings build() {
            if (scopeBy == null) {
                throw new IllegalStateException("scopeBy must be set: nothing separates the keys of different clients");
            }
            return new HttpPathSettings(new PathSettings(
                    new MatchedRequests(pattern, methods),
                    topic == null ? pattern.getPatternString() : topic,
                    required,
                    scopeBy,
                    storeClientErrors,
                    fingerprint,
                    Math.toIntExact(maxRequestSize.toBytes()),
                    Math.toIntExact(maxResponseSize.toBytes())));
        }
    }
}
