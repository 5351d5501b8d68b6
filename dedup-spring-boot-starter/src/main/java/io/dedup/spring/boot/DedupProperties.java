package io.dedup.spring.boot;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;

/** The properties under {@code dedup}. An unknown property name fails the start. Not thread-safe. */
@ConfigurationProperties(prefix = "dedup", ignoreUnknownFields = false)
public class DedupProperties {
    /** Whether the starter deduplicates at all. With false, all listeners run as if the starter weren't there. */
    private boolean enabled = true;

    /** Whether a start-up warning fails the start. */
    private boolean strict = false;

    /** Where records are kept. If unset: in the store on the class path, if there is only one. Topics in mode transactional keep their records in the table of dedup.jdbc whatever the store is. A change forgets the windows whose records the new store doesn't have; jdbc and tiered share the table. */
    private @Nullable StoreType store;

    /** How long a shutdown waits for running handlers. This is the limit for all listeners together. */
    private Duration shutdownTimeout = Duration.ofSeconds(30);

    /** Whether threads share calls of the store while more than 20 of them call it at once: what requests a claim or a completion meanwhile goes with the next call. For listeners of many threads that handle message by message, on a database. */
    private boolean sharedStoreCalls = false;

    /**
     * The name of this process in the records that it claims; it shows operators which process is handling a message. If unset: host
     * name and process ID. If empty: no name is recorded.
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

    public boolean isSharedStoreCalls() {
        return sharedStoreCalls;
    }

    public void setSharedStoreCalls(boolean sharedStoreCalls) {
        this.sharedStoreCalls = sharedStoreCalls;
    }

    /** Settings for all topics and listeners that don't set their own. */
    @NestedConfigurationProperty
    private final PolicyProperties defaults = new PolicyProperties();

    /** The topics whose listeners are deduplicated, by topic name. Listeners of other topics stay as they are. */
    private final Map<String, TopicProperties> topics = new LinkedHashMap<>();

    /** Settings for single listeners, by listener ID (Kafka) or bean name (RocketMQ). They override dedup.topics and @Deduplicated. */
    private final Map<String, ListenerProperties> listeners = new LinkedHashMap<>();

    /** The table that keeps the records. */
    @NestedConfigurationProperty
    private final JdbcProperties jdbc = new JdbcProperties();

    /** Records in Redis. */
    @NestedConfigurationProperty
    private final RedisProperties redis = new RedisProperties();

    /** Personal data in the store. */
    @NestedConfigurationProperty
    private final PrivacyProperties privacy = new PrivacyProperties();

    /** Settings for Kafka listeners. */
    @NestedConfigurationProperty
    private final KafkaSettings kafka = new KafkaSettings();

    /** Requests with an Idempotency-Key. */
    @NestedConfigurationProperty
    private final HttpProperties http = new HttpProperties();

    /** Traces of skipped duplicates. */
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

    public PrivacyProperties getPrivacy() {
        return privacy;
    }

    public KafkaSettings getKafka() {
        return kafka;
    }

    public HttpProperties getHttp() {
        return http;
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
        /** The table decides; Redis in front of it answers duplicates. */
        TIERED,
        /** In this process only: for tests and demos. */
        MEMORY
    }
}
