package io.dedup.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** {@code dedup.redis}: records in Redis. Not thread-safe. */
public class RedisProperties {
    /** A Redis URI, such as redis://user:password@host:6379/0. If unset: the Redis of spring.data.redis. */
    private @Nullable String url;

    /** The prefix of all keys. Changing it forgets all windows. */
    private String namespace = "dedup";

    /** How long the attempt count and fencing token of an unfinished message are kept after its last lease. It cannot be changed for a namespace that is in use. */
    private Duration attemptRetention = Duration.ofDays(7);

    /** How long a call waits for Redis's answer before it fails. Keep it well below the lease. */
    private Duration commandTimeout = Duration.ofSeconds(2);

    @NestedConfigurationProperty
    private final PackedProperties packed = new PackedProperties();

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

    public PackedProperties getPacked() {
        return packed;
    }
}
