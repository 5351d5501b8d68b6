package io.dedup.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** {@code dedup.redis}: where the records are in Redis. Not thread-safe. */
public class RedisProperties {
    /** A Redis URI, such as redis://user:password@host:6379/0. Unset: what Spring Boot's spring.data.redis says. */
    private @Nullable String url;

    /** What all keys begin with. Another one forgets all windows. */
    private String namespace = "dedup";

    /** How long attempts of an unfinished message outlive its last lease. Fixed for a namespace once it is used. */
    private Duration attemptRetention = Duration.ofDays(7);

    /** How long a call may take before it has failed; well below the lease. */
    private Duration commandTimeout = Duration.ofSeconds(2);

    public @Nullable String getUrl() {
        return url;
    }

    public void setUrl(@Nullable String url) {
        this.url = url;
    }

    public String getNamespace() {
        return namespace;
    }

    public void setNamespace(String namespace) {
        this.namespace = namespace;
    }

    public Duration getAttemptRetention() {
        return attemptRetention;
    }

    public void setAttemptRetention(Duration attemptRetention) {
        this.attemptRetention = attemptRetention;
    }

    public Duration getCommandTimeout() {
        return commandTimeout;
    }

    public void setCommandTimeout(Duration commandTimeout) {
        this.commandTimeout = commandTimeout;
    }
}
