package io.dedup.http;

import io.dedup.Deduplicator;
import io.dedup.http.internal.HttpPath;
import io.dedup.http.internal.HttpSettings;
import io.dedup.http.internal.ServedPaths;
import io.dedup.policy.DedupMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The paths of an application whose requests are deduplicated. {@link ServletDedup} and {@link WebFluxDedup} make the filters. Close
 * it before its deduplicators. Thread-safe.
 */
public final class HttpPaths implements AutoCloseable {
    private final ServedPaths served;

    private HttpPaths(ServedPaths served) {
        this.served = served;
    }

    public static Builder builder() {
        return new Builder();
    }

    ServedPaths served() {
        return served;
    }

    /** Leaves the claims of runs to expire whose end nobody can see: the deduplicators would wait for them. */
    @Override
    public void close() {
        served.close();
    }

    /** Builds {@link HttpPaths}. Not thread-safe. */
    public static final class Builder {
        /** Of the threads of a server, of which Tomcat has 200. */
        private static final int MAX_WAITING = 25;

        private record Added(HttpPathSettings settings, Deduplicator deduplicator) {}

        private final List<Added> paths = new ArrayList<>();
        private String header = "Idempotency-Key";
        private @Nullable String documentation;
        private List<String> headersNotReplayed = List.of();

        private Builder() {}

        /** The request header that has the key; {@code Idempotency-Key} by default. */
        public Builder header(String name) {
            header = name;
            return this;
        }

        /** A page for clients that describes the use of the header; problem details name it as their type. None by default. */
        public Builder documentation(@Nullable String address) {
            documentation = address;
            return this;
        }

        /** Response headers that duplicates don't receive, besides those about the moment, the session and the connection. */
        public Builder headersNotReplayed(List<String> names) {
            headersNotReplayed = List.copyOf(names);
            return this;
        }

        /**
         * Adds a path.
         *
         * @param deduplicator within whose consumer keys are unique
         * @throws IllegalArgumentException if the topic of the path has another mode than LEASED
         */
        public Builder path(HttpPathSettings settings, Deduplicator deduplicator) {
            DedupMode mode = deduplicator.topic(settings.topic()).policy().mode();
            if (mode != DedupMode.LEASED) {
                throw new IllegalArgumentException("Requests are deduplicated in mode LEASED only, but topic "
                        + settings.topic() + " has mode " + mode + ": no transaction spans a request and its response");
            }
            paths.add(new Added(settings, deduplicator));
            return this;
        }

        public HttpPaths build() {
            HttpSettings http = new HttpSettings(header, documentation, headersNotReplayed);
            Semaphore waiting = new Semaphore(MAX_WAITING);
            return new HttpPaths(new ServedPaths(paths.stream()
                    .map(added -> new HttpPath(added.settings().settings(), added.deduplicator(), http, waiting))
                    .toList()));
        }
    }
}
