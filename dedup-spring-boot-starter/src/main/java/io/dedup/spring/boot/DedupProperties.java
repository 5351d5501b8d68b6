package io.dedup.spring.boot;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** What an application says under {@code dedup}. Names that don't exist fail the start. Not thread-safe. */
@ConfigurationProperties(prefix = "dedup", ignoreUnknownFields = false)
public class DedupProperties {
    /** Whether anything is deduplicated at all. */
    private boolean enabled = true;

    /** Whether what is warned of at start fails it. */
    private boolean strict = false;

    /** Where records are kept. Unset: the one that the class path has, if there is only one. Topics in mode transactional have their records in the table of dedup.jdbc, beside any store. Changing it forgets windows, but for jdbc and tiered, which share the table. */
    private @Nullable StoreType store;

    /** How long the end of the application waits for running handlers, those of all its listeners together. */
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    /**
     * What this process is called in the records of its claims, for operators to see who has a message. Unset: host name and
     * process ID; empty: nothing.
     */
    private @Nullable String instance;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public boolean isStrict() {
        return strict;
    }

    public void setStrict(boolean strict) {
        this.strict = strict;
    }

    public @Nullable StoreType getStore() {
        return store;
    }

    public void setStore(@Nullable StoreType store) {
        this.store = store;
    }

    public @Nullable String getInstance() {
        return instance;
    }

    public void setInstance(@Nullable String instance) {
        this.instance = instance;
    }

    public Duration getShutdownTimeout() {
        return shutdownTimeout;
    }

    public void setShutdownTimeout(Duration shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
    }

    /** What holds for all topics and listeners unless they say otherwise. */
    @NestedConfigurationProperty
    private final PolicyProperties defaults = new PolicyProperties();

    /** The topics whose listeners are deduplicated, by name. Listeners of other topics stay as they are. */
    private final Map<String, TopicProperties> topics = new LinkedHashMap<>();

    /** Single listeners, by listener ID (Kafka) or bean name (RocketMQ); wins over topics and @Deduplicated. */
    private final Map<String, ListenerProperties> listeners = new LinkedHashMap<>();

    /** The table of records. */
    @NestedConfigurationProperty
    private final JdbcProperties jdbc = new JdbcProperties();

    /** Where records are in Redis. */
    @NestedConfigurationProperty
    private final RedisProperties redis = new RedisProperties();

    /** How Kafka's listeners are deduplicated. */
    @NestedConfigurationProperty
    private final KafkaSettings kafka = new KafkaSettings();

    /** What traces tell of duplicates. */
    @NestedConfigurationProperty
    private final TracingProperties tracing = new TracingProperties();

    /** The checks at start. */
    @NestedConfigurationProperty
    private final ChecksProperties checks = new ChecksProperties();

    public PolicyProperties getDefaults() {
        return defaults;
    }

    public Map<String, TopicProperties> getTopics() {
        return topics;
    }

    public Map<String, ListenerProperties> getListeners() {
        return listeners;
    }

    public JdbcProperties getJdbc() {
        return jdbc;
    }

    public RedisProperties getRedis() {
        return redis;
    }

    public KafkaSettings getKafka() {
        return kafka;
    }

    public TracingProperties getTracing() {
        return tracing;
    }

    public ChecksProperties getChecks() {
        return checks;
    }

    /** Where records are kept. */
    public enum StoreType {
        REDIS,
        JDBC,
        /** The table decides, Redis in front of it answers duplicates. */
        TIERED,
        /** In this process only: for tests and demos. */
        MEMORY
    }
}
